/** The drawing of a block: two walls with their windows, and a roof. */

import type { Colour } from '$/protocol/types.gen'
import { line, polygon, round, type Camera, type Point } from './camera'
import './block.css'
import { facade } from './facade'

export interface PlacedBlock {
  /** The back left corner on the board, and the width. */
  x: number
  y: number
  width: number
  /** The number of floors below it. */
  from: number
  floors: number
  colour: Colour
  /** Seed of the pattern of lit windows. */
  lights: number
}

const lower = ([x, y]: Point, by: number): Point => [x, y + by]

/** The SVG of a block, with a roof if nothing stands on it, and with lit windows at night. */
export function blockMarkup(
  camera: Camera,
  block: PlacedBlock,
  { roofed, night }: { roofed: boolean; night: boolean }
): string {
  const { x, y, width, from, floors, colour } = block
  const to = from + floors
  const a = camera.at(x, y + width, to)
  const b = camera.at(x + width, y + width, to)
  const c = camera.at(x + width, y, to)
  const a0 = camera.at(x, y + width, from)
  const b0 = camera.at(x + width, y + width, from)
  const c0 = camera.at(x + width, y, from)
  const seam = Math.max(1, camera.floor * 0.14)
  const lights = block.lights + from * 3
  const wallTransform = ([ax, ay]: Point, [bx, by]: Point): string =>
    `matrix(${round(bx - ax)} ${round(by - ay)} 0 ${round(camera.floor)} ${round(ax)} ${round(ay)})`
  const walls = [
    { name: 'windows', wall: wallTransform(a, b), ...facade(colour, floors, 'front', lights) },
    { name: 'windows shaded', wall: wallTransform(b, c), ...facade(colour, floors, 'side', lights) }
  ]
  const floorLines = Array.from({ length: floors - 1 }, (_, n) => {
    const down = (n + 1) * camera.floor
    return line([lower(a, down), lower(b, down), lower(c, down)])
  }).join('')
  const path = (name: string, d: string, attributes = ''): string =>
    `<path class="${name}" d="${d}" ${attributes}/>`
  const strokes = (name: string, d: string, thick: number): string =>
    path(name, d, `stroke-width="${round(thick)}"`)
  return [
    `<g class="block ${colour}">`,
    path('front', `${line([a, b, b0, a0])}z`),
    path('side', `${line([b, c, c0, b0])}z`),
    ...walls.map(({ name, windows, wall }) => path(name, windows, `transform="${wall}"`)),
    ...(night
      ? walls.map(({ name, lit, wall }) => path(`${name} lit`, lit, `transform="${wall}"`))
      : []),
    floors > 1 ? strokes('floors', floorLines, Math.max(0.6, camera.floor * 0.07)) : '',
    strokes('seam', line([a0, b0, c0].map((point) => lower(point, -seam / 2))), seam),
    strokes('light', line([lower(a, seam * 0.4), lower(b, seam * 0.4)]), seam * 0.8),
    path('corner', line([b, b0])),
    roofed ? roofMarkup(camera, block) : '',
    '</g>'
  ].join('')
}

function roofMarkup(camera: Camera, { x, y, width, from, floors }: PlacedBlock): string {
  const square = (edge: number): string => {
    const [near, far] = [edge, width - edge]
    return polygon(
      [
        [near, far],
        [far, far],
        [far, near],
        [near, near]
      ].map(([u, v]) => camera.at(x + u!, y + v!, from + floors))
    )
  }
  return `<polygon class="roof" points="${square(0)}"/><polygon class="inner" points="${square(width * 0.085)}"/>`
}
