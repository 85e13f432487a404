/** Tall towers hide low ones: which have to be seen through, and where a hidden height is written. */

import { inside, type Camera, type Point } from './camera'
import { silhouette, TOWER, type Spot } from './layout'
import type { SiteLook } from './looks'

export interface Placed {
  readonly look: SiteLook
  readonly spot: Spot
}

/** A site as it is drawn. */
export interface Standing extends Placed {
  readonly camera: Camera
  /** Does something behind it have to be seen? */
  readonly faint: boolean
  /** Is it seen through something? */
  readonly uncovered: boolean
  /** Where its height is written if its roof is hidden. */
  readonly badge: Point | null
}

/** A tower on the screen. */
interface Shape {
  readonly index: number
  readonly spot: Spot
  readonly height: number
  readonly camera: Camera
  readonly outline: readonly Point[]
  /** Around all of it, and around its upper two floors. */
  readonly bounds: Edges
  readonly top: Edges
}

const SAMPLES: readonly Point[] = [
  [0.5, 0.5],
  [0.32, 0.6],
  [0.68, 0.6],
  [0.5, 0.3],
  [0.5, 0.75]
]
const TENTHS = Array.from({ length: 11 }, (_, n) => n / 10)

/** Looks again and again, at sites from back to front. A site about which nothing has changed is the
 * very same thing as before, so that it is not drawn anew; and most of what is hidden stays hidden as
 * it was, and is not looked for twice. */
export function standings(): (
  camera: Camera,
  placed: readonly Placed[],
  hover: string | null
) => Standing[] {
  const shapes: Shape[] = []
  const lifts: { tower: Shape; front: readonly Shape[]; at: Point | null }[] = []
  const last: Standing[] = []

  function shapeOf(camera: Camera, { look: { index, height }, spot }: Placed): Shape {
    const known = shapes[index]
    if (known?.camera === camera && known.spot === spot && known.height === height) return known
    const outline = silhouette(camera, spot, 0, height)
    const top = edges(silhouette(camera, spot, Math.max(0, height - 2), height))
    return (shapes[index] = { index, spot, height, camera, outline, bounds: edges(outline), top })
  }
  function lift(tower: Shape, front: readonly Shape[]): Point | null {
    const known = lifts[tower.index]
    const same = known?.tower === tower && known.front.length === front.length
    if (same && known.front.every((one, n) => one === front[n])) return known.at
    const at = front.length ? lifted(tower, front) : null
    lifts[tower.index] = { tower, front, at }
    return at
  }
  function badge(camera: Camera, one: Placed, { faint }: Through, solid: Shape[]): Point | null {
    const { look, spot } = one
    if (!look.height) return null
    if (faint.has(look.index))
      return camera.at(spot.x + TOWER / 2, spot.y + TOWER, Math.min(look.height * 0.4, 3))
    if (look.ghost) return null
    const tower = shapeOf(camera, one)
    const front = solid.filter(
      ({ spot: { depth }, bounds }) => depth > spot.depth && touch(bounds, tower.top)
    )
    return lift(tower, front)
  }

  return (camera, placed, hover) => {
    const towers = placed
      .filter(({ look }) => look.height)
      .map((one): Shape => shapeOf(camera, one))
    const through = seenThrough(camera, placed, towers, hover)
    const solid = towers.filter(({ index }) => !through.faint.has(index))
    return placed.map((one) => {
      const { index } = one.look
      const now: Standing = {
        ...one,
        camera,
        faint: through.faint.has(index),
        uncovered: through.uncovered.has(index),
        badge: badge(camera, one, through, solid)
      }
      const before = last[index]
      return before && same(before, now) ? before : (last[index] = now)
    })
  }
}

const same = (one: Standing, other: Standing): boolean =>
  one.look === other.look &&
  one.spot === other.spot &&
  one.camera === other.camera &&
  one.faint === other.faint &&
  one.uncovered === other.uncovered &&
  one.badge?.[0] === other.badge?.[0] &&
  one.badge?.[1] === other.badge?.[1]

type Edges = readonly [number, number, number, number]

function edges(points: readonly Point[]): Edges {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

const touch = (one: Edges, other: Edges): boolean =>
  one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]

interface Through {
  faint: Set<number>
  uncovered: Set<number>
}

/** Which towers stand before what is looked for: where something can be built, or is pointed at. */
function seenThrough(
  camera: Camera,
  placed: readonly Placed[],
  towers: readonly Shape[],
  hover: string | null
): Through {
  const faint = new Set<number>()
  const uncovered = new Set<number>()
  for (const { look, spot } of placed) {
    if (look.mark !== 'open' && !look.ghost && look.site !== hover) continue
    const ghost = look.ghost?.floors ?? 0
    const points = [
      camera.at(spot.x + TOWER / 2, spot.y + TOWER / 2, look.height),
      camera.at(spot.x + TOWER / 2, spot.y + TOWER * 0.9, look.height + ghost / 2)
    ]
    for (const tower of towers) {
      if (tower.spot.depth <= spot.depth) continue
      if (!points.some((point) => inside(point, tower.outline))) continue
      faint.add(tower.index)
      uncovered.add(look.index)
    }
  }
  return { faint, uncovered }
}

/** The nearest spot of a tower that can be seen, if its roof can't. */
function lifted(tower: Shape, front: readonly Shape[]): Point | null {
  const { camera, height } = tower
  const { x, y } = tower.spot
  const hidden = (point: Point): boolean => front.some(({ outline }) => inside(point, outline))
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
