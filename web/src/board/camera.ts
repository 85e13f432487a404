/** Camera: an axonometric projection of the board with the viewer's edge at the bottom.
 *
 * The rotation by atan 1/3 gives each of a city's nine sites a lane of its own, so that no tower
 * stands exactly behind another one of its city. */

export type Point = readonly [number, number]

const COS = 3 / Math.sqrt(10)
const SIN = 1 / Math.sqrt(10)
export const SQUASH = 0.62

export const round = (value: number): number => Math.round(value * 100) / 100

export interface Camera {
  /** Pixels per site. */
  readonly unit: number
  /** Pixels per floor. */
  readonly floor: number
  /** Project a point of the board at a height of `z` floors. */
  at(x: number, y: number, z?: number): Point
  /** The transform of a shape that lies on the board, in units of sites. */
  flatTransform(x: number, y: number, down?: number): string
  /** The transform of text that lies on the board or on a roof, in pixels. */
  textTransform(x: number, y: number, z?: number): string
}

export function camera(unit: number, floor: number): Camera {
  const at = (x: number, y: number, z = 0): Point => [
    (x * COS - y * SIN) * unit,
    (x * SIN + y * COS) * SQUASH * unit - z * floor
  ]
  const matrix = (scale: number, x: number, y: number): string =>
    `matrix(${[COS, SIN * SQUASH, -SIN, COS * SQUASH].map((value) => round(value * scale)).join(' ')} ${round(x)} ${round(y)})`
  return {
    unit,
    floor,
    at,
    flatTransform: (x, y, down = 0) => {
      const [left, top] = at(x, y)
      return matrix(unit, left, top + down)
    },
    textTransform: (x, y, z = 0) => {
      const [left, top] = at(x, y, z)
      return `matrix(${round(COS)} ${round(SIN * SQUASH)} ${round(-SIN)} ${z ? 0.78 : round(COS * SQUASH)} ${round(left)} ${round(top)})`
    }
  }
}

/** The drawing order: what is farther back is drawn first. */
export const depth = (x: number, y: number): number => x * SIN + y * COS

export const polygon = (points: readonly Point[]): string =>
  points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')

export const line = (points: readonly Point[]): string =>
  `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join('L')}`

/** Is a point inside a polygon? (Even–odd rule.) */
export function isInside([x, y]: Point, corners: readonly Point[]): boolean {
  let isOdd = false
  corners.forEach(([ax, ay], index) => {
    const [bx, by] = corners[(index || corners.length) - 1]!
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isOdd = !isOdd
  })
  return isOdd
}
