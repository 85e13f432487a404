/** Each colour has an architecture of its own, so that nobody has to tell colours apart.
 *
 * Paths in the units of a wall: 0 to 1 across, one a floor downwards. */

import type { Colour } from '$/protocol/told'
import { round } from './camera'

export interface Facade {
  windows: string
  /** Those in which a light burns at night. */
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

function each(
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
  return each(floors, columns, (floor, n) => box(0.09 + n * width, floor + 0.3, width - 0.018, 0.4))
}

/** Punched square windows. */
function squares(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 5 : 3
  const width = 0.78 / columns
  return each(floors, columns, (floor, n) =>
    box(0.11 + n * width + width * 0.19, floor + 0.27, width * 0.62, 0.48)
  )
}

/** Vertical fins. */
function fins(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 7 : 4
  const width = wall === 'front' ? 0.06 : 0.09
  return each(1, columns, (_, n) =>
    box(0.1 + (n * (0.8 - width)) / (columns - 1), 0.2, width, floors - 0.4)
  )
}

/** Triangles that stand and hang by turns. */
function triangles(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 4 : 2
  const width = 0.84 / columns
  return each(floors, columns, (floor, n) => {
    const left = 0.08 + n * width
    const [foot, tip] = floor % 2 ? [0.22, 0.8] : [0.8, 0.22]
    return `M${round(left + 0.02)} ${round(floor + foot)}L${round(left + width / 2)} ${round(floor + tip)}L${round(left + width - 0.02)} ${round(floor + foot)}z`
  })
}

/** Slanting bars. */
function slants(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 6 : 4
  const width = 0.8 / columns
  const thick = width * 0.5
  return each(floors, columns, (floor, n) => {
    const left = 0.1 + n * width
    return `M${round(left + width - thick)} ${round(floor + 0.24)}h${round(thick)}L${round(left + thick)} ${round(floor + 0.78)}h${round(-thick)}z`
  })
}

/** Round windows. */
function rounds(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 4 : 2
  const width = 0.8 / columns
  const radius = width * 0.34
  return each(floors, columns, (floor, n) => {
    const left = 0.1 + n * width + width / 2 - radius
    return `M${round(left)} ${round(floor + 0.5)}a${round(radius)} .26 0 1 0 ${round(2 * radius)} 0a${round(radius)} .26 0 1 0 ${round(-2 * radius)} 0z`
  })
}

/** Arches. */
function arches(floors: number, wall: Wall): Opening[] {
  const columns = wall === 'front' ? 4 : 2
  const width = 0.84 / columns
  const inner = width * 0.66
  return each(floors, columns, (floor, n) => {
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

const known = new Map<string, Facade>()

/** The openings of a block's wall. The same number lights the same windows. */
export function facade(colour: Colour, floors: number, wall: Wall, lights: number): Facade {
  const name = `${colour} ${floors} ${wall} ${lights % 15}`
  let found = known.get(name)
  if (!found) {
    const openings = STYLES[colour](floors, wall)
    const burns = ({ floor, column }: Opening): boolean =>
      ((lights % 15) * 5 + floor * 7 + column * 3 + (wall === 'side' ? 1 : 0)) % 5 < 2
    found = {
      windows: openings.map((one) => one.path).join(''),
      lit: openings
        .filter(burns)
        .map((one) => one.path)
        .join('')
    }
    known.set(name, found)
  }
  return found
}
