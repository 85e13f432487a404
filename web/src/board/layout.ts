/** Layout: where the cities and sites are on the drawn board, in units of sites. */

import { depth, type Camera, type Point } from './camera'

export const TOWER = 0.66
export const LOT = 0.86
export const MARGIN = 0.2
/** The strip in front of a city's sites, for its name and its leader. */
const LIP = 0.6
export const PLATE_WIDTH = 3 + 2 * MARGIN
export const PLATE_DEPTH = 3 + MARGIN + LIP
export const THICKNESS = 11
const GAP_ACROSS = 0.5
const GAP_BACK = 0.8
export const CITIES = 6
/** Sites per step, when a board is rendered progressively. */
export const SITES_PER_STEP = 3
export const RENDER_STEPS = (CITIES * 9) / SITES_PER_STEP
/** The eight directions around something, as steps to the right and to the front. */
export const DIRECTIONS = [-1, 0, 1]
  .flatMap((x) => [-1, 0, 1].map((y) => [x, y] as const))
  .filter(([x, y]) => x || y)

export interface Spot {
  x: number
  y: number
  depth: number
}

/** The back left corner of a city's plate, with `across` cities side by side. */
export function cityCorner(city: number, across: number): { x: number; y: number } {
  return {
    x: (city % across) * (PLATE_WIDTH + GAP_ACROSS),
    y: Math.floor(city / across) * (PLATE_DEPTH + GAP_BACK)
  }
}

/** The back left corner of the tower in a row and column of a city, as seen by the viewer. */
function towerCorner(city: number, row: number, column: number, across: number): Spot {
  const corner = cityCorner(city, across)
  const edge = (1 - TOWER) / 2
  const x = corner.x + MARGIN + column + edge
  const y = corner.y + MARGIN + row + edge
  return { x, y, depth: depth(x, y) }
}

/** Return a lookup of these corners that always returns the same object for the same site. */
export function spotLookup(
  across: number
): (site: { city: number; row: number; column: number }) => Spot {
  const cache: Spot[] = []
  return ({ city, row, column }) =>
    (cache[9 * city + 3 * row + column] ??= towerCorner(city, row, column, across))
}

/** The bounds of some cities on the screen: left, top, right, bottom. */
export function extent(
  camera: Camera,
  across: number,
  cities: number
): [number, number, number, number] {
  const last = cityCorner(cities - 1, across)
  const [right, back] = [last.x + PLATE_WIDTH, last.y + PLATE_DEPTH]
  return [
    camera.at(0, back)[0],
    camera.at(0, 0)[1],
    camera.at(right, 0)[0],
    camera.at(right, back)[1] + THICKNESS
  ]
}

/** The outline of a tower, or of the floors `from` to `to`. */
export function silhouette(camera: Camera, { x, y }: Spot, from: number, to: number): Point[] {
  const w = TOWER
  return [
    camera.at(x, y + w, from),
    camera.at(x + w, y + w, from),
    camera.at(x + w, y, from),
    camera.at(x + w, y, to),
    camera.at(x, y, to),
    camera.at(x, y + w, to)
  ]
}

/** The corners of a tower's cross-section at a height, widened on every side. */
export function roof(camera: Camera, { x, y }: Spot, z: number, wider = 0): Point[] {
  const [left, top, w] = [x - wider, y - wider, TOWER + 2 * wider]
  return [
    camera.at(left, top + w, z),
    camera.at(left + w, top + w, z),
    camera.at(left + w, top, z),
    camera.at(left, top, z)
  ]
}
