/** How one block is drawn: two walls with their windows, and its roof. */

import type { Colour } from '$/protocol/told'
import { line, polygon, round, type Camera, type Point } from './camera'
import './block.css'
import { facade } from './facade'

export interface BlockAt {
  /** The back left corner on the table, and how wide it is. */
  x: number
  y: number
  width: number
  /** The floor on which it stands. */
  from: number
  floors: number
  colour: Colour
  /** Which windows are lit. */
  lights: number
}

const lower = ([x, y]: Point, by: number): Point => [x, y + by]

/** A block as text; with its roof if nothing stands on it, and with lights by night. */
export function blockMarkup(
  camera: Camera,
  block: BlockAt,
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
  const wall = ([ax, ay]: Point, [bx, by]: Point): string =>
    `matrix(${round(bx - ax)} ${round(by - ay)} 0 ${round(camera.floor)} ${round(ax)} ${round(ay)})`
  const walls = [
    { name: 'windows', wall: wall(a, b), ...facade(colour, floors, 'front', lights) },
    { name: 'windows shaded', wall: wall(b, c), ...facade(colour, floors, 'side', lights) }
  ]
  const floorLines = Array.from({ length: floors - 1 }, (_, n) => {
    const down = (n + 1) * camera.floor
    return line([lower(a, down), lower(b, down), lower(c, down)])
  }).join('')
  const path = (name: string, d: string, more = ''): string =>
    `<path class="${name}" d="${d}" ${more}/>`
  const strokes = (name: string, d: string, thick: number): string =>
    path(name, d, `stroke-width="${round(thick)}"`)
  return [
    `<g class="block ${colour}">`,
    path('front', `${line([a, b, b0, a0])}z`),
    path('side', `${line([b, c, c0, b0])}z`),
    ...walls.map((one) => path(one.name, one.windows, `transform="${one.wall}"`)),
    ...(night
      ? walls.map((one) => path(`${one.name} lit`, one.lit, `transform="${one.wall}"`))
      : []),
    floors > 1 ? strokes('floors', floorLines, Math.max(0.6, camera.floor * 0.07)) : '',
    strokes('seam', line([a0, b0, c0].map((point) => lower(point, -seam / 2))), seam),
    strokes('light', line([lower(a, seam * 0.4), lower(b, seam * 0.4)]), seam * 0.8),
    path('corner', line([b, b0])),
    roofed ? roofMarkup(camera, block) : '',
    '</g>'
  ].join('')
}

function roofMarkup(camera: Camera, { x, y, width, from, floors }: BlockAt): string {
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
