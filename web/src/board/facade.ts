/** Facades: each colour has its own architecture, so that no player depends on telling colours apart.
 *
 * Paths use the units of a wall: 0 to 1 across, and 1 per floor downwards. */

import type { Colour } from '$/protocol/types.gen'
import { round } from './camera'

export interface Facade {
  windows: string
  /** The windows that are lit at night. */
  lit: string
}

type Wall = 'front' | 'side'

interface Opening {
  path: string
  floor: number
  column: number
}

const box = (x: number, y: number, width: number, height: number): string =>
  `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`

function openings(
  floors: number,
  columns: number,
  path: (floor: number, column: number) => string
): Opening[] {
  return Array.from({ length: floors * columns }, (_, n) => {
    const floor = Math.floor(n / columns)
    const column = n % columns
    return { path: path(floor, column), floor, column }
  })
}

/** Horizontal ribbons. */
function ribbons(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 5 : 3
  const width = 0.82 / columns
  return openings(floors, columns, (floor, n) =>
    box(0.09 + n * width, floor + 0.3, width - 0.018, 0.4)
  )
}

/** Punched square windows. */
function squares(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 5 : 3
  const width = 0.78 / columns
  return openings(floors, columns, (floor, n) =>
    box(0.11 + n * width + width * 0.19, floor + 0.27, width * 0.62, 0.48)
  )
}

/** Vertical fins. */
function fins(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 7 : 4
  const width = wall === 'front' ? 0.06 : 0.09
  return openings(1, columns, (_, n) =>
    box(0.1 + (n * (0.8 - width)) / (columns - 1), 0.2, width, floors - 0.4)
  )
}

/** Triangles, alternately pointing up and down. */
function triangles(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 4 : 2
  const width = 0.84 / columns
  return openings(floors, columns, (floor, n) => {
    const left = 0.08 + n * width
    const [foot, tip] = floor % 2 ? [0.22, 0.8] : [0.8, 0.22]
    return `M${round(left + 0.02)} ${round(floor + foot)}L${round(left + width / 2)} ${round(floor + tip)}L${round(left + width - 0.02)} ${round(floor + foot)}z`
  })
}

/** Slanted bars. */
function slants(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 6 : 4
  const width = 0.8 / columns
  const thick = width * 0.5
  return openings(floors, columns, (floor, n) => {
    const left = 0.1 + n * width
    return `M${round(left + width - thick)} ${round(floor + 0.24)}h${round(thick)}L${round(left + thick)} ${round(floor + 0.78)}h${round(-thick)}z`
  })
}

/** Round windows. */
function rounds(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 4 : 2
  const width = 0.8 / columns
  const radius = width * 0.34
  return openings(floors, columns, (floor, n) => {
    const left = 0.1 + n * width + width / 2 - radius
    return `M${round(left)} ${round(floor + 0.5)}a${round(radius)} .26 0 1 0 ${round(2 * radius)} 0a${round(radius)} .26 0 1 0 ${round(-2 * radius)} 0z`
  })
}

/** Arches. */
function arches(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 4 : 2
  const width = 0.84 / columns
  const inner = width * 0.66
  return openings(floors, columns, (floor, n) => {
    const left = 0.08 + n * width + (width - inner) / 2
    return `M${round(left)} ${round(floor + 0.8)}v-.28a${round(inner / 2)} .3 0 0 1 ${round(inner)} 0v.28z`
  })
}

const STYLES: Record<Colour, (floors: number, wall: Wall) => Opening[]> = {
  orange: ribbons,
  blue: squares,
  yellow: fins,
  purple: triangles,
  black: slants,
  red: rounds,
  green: arches
}

const cache = new Map<string, Facade>()

/** The windows of a block's wall. The same `lights` always light the same windows. */
export function facade(colour: Colour, floors: number, wall: Wall, lights: number): Facade {
  const name = `${colour} ${floors} ${wall} ${lights % 15}`
  let result = cache.get(name)
  if (!result) {
    const windows = STYLES[colour](floors, wall)
    const isLit = ({ floor, column }: Opening): boolean =>
      ((lights % 15) * 5 + floor * 7 + column * 3 + (wall === 'side' ? 1 : 0)) % 5 < 2
    const pathsOf = (selected: Opening[]): string => selected.map(({ path }) => path).join('')
    result = { windows: pathsOf(windows), lit: pathsOf(windows.filter(isLit)) }
    cache.set(name, result)
  }
  return result
}
