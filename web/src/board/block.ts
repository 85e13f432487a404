/** How one block is drawn: two walls with their windows, and its roof. */

import type { Colour } from '$/protocol/told'
import { line, polygon, round, type Camera, type Point } from './camera'
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

/** Everything at once, as the browser wants it: a block seldom changes. */
export function blockDrawing(camera: Camera, block: BlockAt) {
  const { x, y, width, from, floors, colour } = block
  const to = from + floors
  const a = camera.at(x, y + width, to)
  const b = camera.at(x + width, y + width, to)
  const c = camera.at(x + width, y, to)
  const d = camera.at(x, y, to)
  const a0 = camera.at(x, y + width, from)
  const b0 = camera.at(x + width, y + width, from)
  const c0 = camera.at(x + width, y, from)
  const seam = Math.max(1, camera.floor * 0.14)
  const lights = block.lights + from * 3
  const wall = ([ax, ay]: Point, [bx, by]: Point): string =>
    `matrix(${round(bx - ax)} ${round(by - ay)} 0 ${round(camera.floor)} ${round(ax)} ${round(ay)})`
  const e = width * 0.085
  return {
    front: polygon([a, b, b0, a0]),
    side: polygon([b, c, c0, b0]),
    roof: polygon([a, b, c, d]),
    inner: polygon([
      camera.at(x + e, y + width - e, to),
      camera.at(x + width - e, y + width - e, to),
      camera.at(x + width - e, y + e, to),
      camera.at(x + e, y + e, to)
    ]),
    frontWall: wall(a, b),
    sideWall: wall(b, c),
    frontWindows: facade(colour, floors, 'front', lights),
    sideWindows: facade(colour, floors, 'side', lights),
    floorLines: Array.from({ length: floors - 1 }, (_, n) => {
      const down = (n + 1) * camera.floor
      return line([lower(a, down), lower(b, down), lower(c, down)])
    }).join(''),
    floorLine: round(Math.max(0.6, camera.floor * 0.07)),
    seam: line([lower(a0, -seam / 2), lower(b0, -seam / 2), lower(c0, -seam / 2)]),
    seamWidth: round(seam),
    light: line([lower(a, seam * 0.4), lower(b, seam * 0.4)]),
    lightWidth: round(seam * 0.8),
    corner: line([b, b0])
  }
}
