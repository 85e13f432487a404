/** Tall towers hide low ones: which have to be seen through, and where a hidden height is written. */

import { inside, type Camera, type Point } from './camera'
import { silhouette, TOWER, type Spot } from './layout'

export interface Standing extends Spot {
  index: number
  height: number
  /** Is it looked for: can something be built there, or is the pointer there? */
  wanted: boolean
  /** Floors that would stand on it. */
  ghost: number
}

export interface Covering {
  /** Towers that are drawn faintly. */
  faint: Set<number>
  /** Sites that something stood in front of. */
  uncovered: Set<number>
  /** Where the heights of hidden roofs are written. */
  badges: { index: number; at: Point }[]
}

const SAMPLES: readonly Point[] = [
  [0.5, 0.5],
  [0.32, 0.6],
  [0.68, 0.6],
  [0.5, 0.3],
  [0.5, 0.75]
]
const TENTHS = Array.from({ length: 11 }, (_, n) => n / 10)

/** Looks again and again. Most of what is hidden stays hidden as it was, and is not looked for twice. */
export function coverings(): (camera: Camera, sites: readonly Standing[]) => Covering {
  let known = new Map<string, Point | null>()
  return (camera, sites) => {
    const seen = new Map<string, Point | null>()
    const remember = (name: string, find: () => Point | null): Point | null => {
      const before = known.get(name)
      const found = before === undefined ? find() : before
      seen.set(name, found)
      return found
    }
    const cover = covering(camera, sites, remember)
    known = seen
    return cover
  }
}

function covering(
  camera: Camera,
  sites: readonly Standing[],
  remember: (name: string, find: () => Point | null) => Point | null
): Covering {
  const towers = sites.filter((one) => one.height)
  const outlines = new Map(towers.map((one) => [one.index, silhouette(camera, one, 0, one.height)]))
  const bounds = new Map([...outlines].map(([index, outline]) => [index, edges(outline)]))
  const { faint, uncovered } = seenThrough(camera, sites, towers, outlines)
  const badges: Covering['badges'] = []
  for (const tower of towers) {
    if (faint.has(tower.index)) {
      const at = camera.at(tower.x + TOWER / 2, tower.y + TOWER, Math.min(tower.height * 0.4, 3))
      badges.push({ index: tower.index, at })
      continue
    }
    if (tower.ghost) continue
    const around = edges(silhouette(camera, tower, Math.max(0, tower.height - 2), tower.height))
    const front = towers.filter(
      (one) =>
        one.depth > tower.depth && !faint.has(one.index) && touch(bounds.get(one.index)!, around)
    )
    if (!front.length) continue
    const name = [tower, ...front].map((one) => `${one.x} ${one.y} ${one.height}`)
    const at = remember(`${camera.floor} ${name}`, () =>
      lifted(
        camera,
        tower,
        front.map((one) => outlines.get(one.index)!)
      )
    )
    if (at) badges.push({ index: tower.index, at })
  }
  return { faint, uncovered, badges }
}

type Edges = readonly [number, number, number, number]

function edges(points: readonly Point[]): Edges {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

const touch = (one: Edges, other: Edges): boolean =>
  one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]

function seenThrough(
  camera: Camera,
  sites: readonly Standing[],
  towers: readonly Standing[],
  outlines: ReadonlyMap<number, Point[]>
): { faint: Set<number>; uncovered: Set<number> } {
  const faint = new Set<number>()
  const uncovered = new Set<number>()
  for (const one of sites.filter((site) => site.wanted)) {
    const points = [
      camera.at(one.x + TOWER / 2, one.y + TOWER / 2, one.height),
      camera.at(one.x + TOWER / 2, one.y + TOWER * 0.9, one.height + one.ghost / 2)
    ]
    for (const tower of towers) {
      if (tower.index === one.index || tower.depth <= one.depth) continue
      if (!points.some((point) => inside(point, outlines.get(tower.index)!))) continue
      faint.add(tower.index)
      uncovered.add(one.index)
    }
  }
  return { faint, uncovered }
}

/** The nearest spot of a tower that can be seen, if its roof can't. */
function lifted(camera: Camera, tower: Standing, front: readonly Point[][]): Point | null {
  const { x, y, height } = tower
  const hidden = (point: Point): boolean => front.some((outline) => inside(point, outline))
  const onRoof = ([u, v]: Point): Point => camera.at(x + u * TOWER, y + v * TOWER, height)
  const samples = SAMPLES.map(onRoof)
  if (samples.filter(hidden).length < 2) return null
  const centre = samples[0]!
  let best: { far: number; point: Point } | null = null
  for (const u of TENTHS) {
    for (const v of TENTHS) {
      const down = height - v * Math.min(2, height)
      const spots = [
        onRoof([u, v]),
        camera.at(x + TOWER, y + u * TOWER, down),
        camera.at(x + u * TOWER, y + TOWER, down)
      ]
      for (const point of spots) {
        if (hidden(point)) continue
        const far = Math.hypot(point[0] - centre[0], point[1] - centre[1])
        if (!best || far < best.far) best = { far, point }
      }
    }
  }
  if (!best) return centre
  const [dx, dy] = [best.point[0] - centre[0], best.point[1] - centre[1]]
  const length = Math.hypot(dx, dy) || 1
  return [best.point[0] + (dx / length) * 8, best.point[1] + (dy / length) * 6]
}
