import { describe, expect, it } from 'vitest'
import { camera, depth, isInside, line, polygon } from './camera'
import { CITIES, cityCorner, extent, silhouette, spotLookup } from './layout'

const CAMERA = camera(100, 10)

describe('the camera', () => {
  it('puts the origin at the origin and floors above it', () => {
    expect(CAMERA.at(0, 0)).toEqual([0, 0])
    expect(CAMERA.at(0, 0, 3)).toEqual([0, -30])
  })

  it('puts the front below the back, and the right to the right', () => {
    expect(CAMERA.at(0, 1)[1]).toBeGreaterThan(CAMERA.at(0, 0)[1])
    expect(CAMERA.at(1, 0)[0]).toBeGreaterThan(CAMERA.at(0, 0)[0])
    expect(depth(0, 1)).toBeGreaterThan(depth(0, 0))
  })

  it('gives each of nine sites a lane of its own', () => {
    const lanes = Array.from({ length: 9 }, (_, n) =>
      Math.round(CAMERA.at(n % 3, Math.floor(n / 3))[0])
    )
    expect(new Set(lanes).size).toBe(9)
  })
})

it('knows whether a point is inside a polygon', () => {
  const square = [
    [0, 0],
    [2, 0],
    [2, 2],
    [0, 2]
  ] as const
  expect(isInside([1, 1], square)).toBe(true)
  expect(isInside([3, 1], square)).toBe(false)
  expect(isInside([1, -1], square)).toBe(false)
})

it('writes points as SVG', () => {
  const points = [
    [0, 1.005],
    [2, 3]
  ] as const
  expect(polygon(points)).toBe('0,1 2,3')
  expect(line(points)).toBe('M0 1L2 3')
})

describe('the layout', () => {
  it('puts the cities side by side, then in rows', () => {
    expect(cityCorner(0, 3)).toEqual({ x: 0, y: 0 })
    expect(cityCorner(2, 3).y).toBe(0)
    expect(cityCorner(3, 3).x).toBe(0)
    expect(cityCorner(2, 2)).toMatchObject({ x: 0 })
  })

  it('contains every tower in the extent of the board', () => {
    for (const [across, cities] of [
      [2, CITIES],
      [3, CITIES],
      [1, 1]
    ] as const) {
      const [left, top, right, bottom] = extent(CAMERA, across, cities)
      const spotOf = spotLookup(across)
      for (let city = 0; city < cities; city++)
        for (let n = 0; n < 9; n++) {
          const spot = spotOf({ city, row: Math.floor(n / 3), column: n % 3 })
          for (const [x, y] of silhouette(CAMERA, spot, 0, 0)) {
            expect(x).toBeGreaterThan(left)
            expect(x).toBeLessThan(right)
            expect(y).toBeGreaterThan(top)
            expect(y).toBeLessThan(bottom)
          }
        }
    }
  })

  it('returns the same spot for the same site', () => {
    const spotOf = spotLookup(3)
    const site = { city: 4, row: 1, column: 2 }
    expect(spotOf(site)).toBe(spotOf({ ...site }))
  })
})
