/** From the table to the screen: an axonometric view with the viewer's edge at the bottom.
 *
 * The turn of tan 1/3 gives the nine sites of a city nine lanes of their own, so that no tower
 * stands exactly behind another of its city. */

export type Point = readonly [number, number]

const COS = 3 / Math.sqrt(10)
const SIN = 1 / Math.sqrt(10)
export const SQUASH = 0.62

export const round = (value: number): number => Math.round(value * 100) / 100

export interface Camera {
  /** Pixels a site. */
  readonly unit: number
  /** Pixels a floor. */
  readonly floor: number
  /** Where a point of the table, so many floors high, is on the screen. */
  at(x: number, y: number, z?: number): Point
  /** A transform for what lies on the table, measured in sites. */
  lying(x: number, y: number, down?: number): string
  /** The same, measured in pixels: for writing. */
  written(x: number, y: number, z?: number): string
}

export function camera(unit: number, floor: number): Camera {
  const at = (x: number, y: number, z = 0): Point => [
    (x * COS - y * SIN) * unit,
    (x * SIN + y * COS) * SQUASH * unit - z * floor
  ]
  const matrix = (scale: number, x: number, y: number): string =>
    `matrix(${[COS, SIN * SQUASH, -SIN, COS * SQUASH].map((one) => round(one * scale)).join(' ')} ${round(x)} ${round(y)})`
  return {
    unit,
    floor,
    at,
    lying: (x, y, down = 0) => {
      const [left, top] = at(x, y)
      return matrix(unit, left, top + down)
    },
    written: (x, y, z = 0) => {
      const [left, top] = at(x, y, z)
      return `matrix(${round(COS)} ${round(SIN * SQUASH)} ${round(-SIN)} ${z ? 0.78 : round(COS * SQUASH)} ${round(left)} ${round(top)})`
    }
  }
}

/** What stands farther back is drawn first. */
export const depth = (x: number, y: number): number => x * SIN + y * COS

export const polygon = (points: readonly Point[]): string =>
  points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')

export const line = (points: readonly Point[]): string =>
  `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join('L')}`

/** Is a point inside a polygon? */
export function inside([x, y]: Point, corners: readonly Point[]): boolean {
  let odd = false
  corners.forEach(([ax, ay], index) => {
    const [bx, by] = corners[(index || corners.length) - 1]!
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd
  })
  return odd
}
