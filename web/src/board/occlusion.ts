/** Occlusion: tall towers hide lower ones behind them. This module finds the towers that have to be
 * translucent, and where the height of a tower with a hidden roof is written. */

import type { SiteView } from './board-types'
import { isInside, type Camera, type Point } from './camera'
import { silhouette, TOWER, type Spot } from './layout'

export interface PlacedSite {
  readonly view: SiteView
  readonly spot: Spot
}

export interface DrawnSite extends PlacedSite {
  readonly camera: Camera
  /** Translucent, because something behind it has to be visible. */
  readonly isFaint: boolean
  /** Visible through a translucent tower. */
  readonly isRevealed: boolean
  /** Where the height is written if the roof is hidden. */
  readonly badge: Point | null
}

/** A tower on the screen. */
interface TowerShape {
  readonly index: number
  readonly spot: Spot
  readonly height: number
  readonly camera: Camera
  readonly outline: readonly Point[]
  /** The bounds of the whole tower, and of its two topmost floors. */
  readonly bounds: Bounds
  readonly topBounds: Bounds
}

/** Points of a roof that are tested for visibility, relative to the tower. */
const ROOF_SAMPLES: readonly Point[] = [
  [0.5, 0.5],
  [0.32, 0.6],
  [0.68, 0.6],
  [0.5, 0.3],
  [0.5, 0.75]
]
const TENTHS = Array.from({ length: 11 }, (_, n) => n / 10)

/** Return a function that computes the drawing of sites, ordered from back to front.
 *
 * It remembers its last results: an unchanged site is the same object as before, so that it is not
 * drawn again, and a badge is only searched for when the towers in front of it have changed. */
export function occlusionTracker(): (
  camera: Camera,
  placed: readonly PlacedSite[],
  hover: string | null
) => DrawnSite[] {
  const shapes: TowerShape[] = []
  const badges: { tower: TowerShape; front: readonly TowerShape[]; point: Point | null }[] = []
  const drawn: DrawnSite[] = []

  function shapeOf(camera: Camera, { view: { index, height }, spot }: PlacedSite): TowerShape {
    const cached = shapes[index]
    if (cached?.camera === camera && cached.spot === spot && cached.height === height) return cached
    const outline = silhouette(camera, spot, 0, height)
    const topBounds = boundsOf(silhouette(camera, spot, Math.max(0, height - 2), height))
    const bounds = boundsOf(outline)
    return (shapes[index] = { index, spot, height, camera, outline, bounds, topBounds })
  }
  function hiddenRoofBadge(tower: TowerShape, front: readonly TowerShape[]): Point | null {
    const cached = badges[tower.index]
    const isSame = cached?.tower === tower && cached.front.length === front.length
    if (isSame && cached.front.every((other, n) => other === front[n])) return cached.point
    const point = front.length ? findBadgePoint(tower, front) : null
    badges[tower.index] = { tower, front, point }
    return point
  }
  function badgeOf(
    camera: Camera,
    site: PlacedSite,
    { faint }: Translucency,
    solid: TowerShape[]
  ): Point | null {
    const { view, spot } = site
    if (!view.height) return null
    if (faint.has(view.index))
      return camera.at(spot.x + TOWER / 2, spot.y + TOWER, Math.min(view.height * 0.4, 3))
    if (view.ghost) return null
    const tower = shapeOf(camera, site)
    const front = solid.filter(
      ({ spot: { depth }, bounds }) => depth > spot.depth && intersect(bounds, tower.topBounds)
    )
    return hiddenRoofBadge(tower, front)
  }

  return (camera, placed, hover) => {
    const towers = placed
      .filter(({ view }) => view.height)
      .map((site): TowerShape => shapeOf(camera, site))
    const translucency = findTranslucency(camera, placed, towers, hover)
    const solid = towers.filter(({ index }) => !translucency.faint.has(index))
    return placed.map((site) => {
      const { index } = site.view
      const now: DrawnSite = {
        ...site,
        camera,
        isFaint: translucency.faint.has(index),
        isRevealed: translucency.revealed.has(index),
        badge: badgeOf(camera, site, translucency, solid)
      }
      const before = drawn[index]
      return before && areEqual(before, now) ? before : (drawn[index] = now)
    })
  }
}

const areEqual = (one: DrawnSite, other: DrawnSite): boolean =>
  one.view === other.view &&
  one.spot === other.spot &&
  one.camera === other.camera &&
  one.isFaint === other.isFaint &&
  one.isRevealed === other.isRevealed &&
  one.badge?.[0] === other.badge?.[0] &&
  one.badge?.[1] === other.badge?.[1]

/** Left, top, right, bottom. */
type Bounds = readonly [number, number, number, number]

function boundsOf(points: readonly Point[]): Bounds {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

const intersect = (one: Bounds, other: Bounds): boolean =>
  one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]

/** Sites by their indices. */
interface Translucency {
  faint: Set<number>
  revealed: Set<number>
}

/** Find the towers in front of sites that matter now: open sites, ghosts and the site pointed at. */
function findTranslucency(
  camera: Camera,
  placed: readonly PlacedSite[],
  towers: readonly TowerShape[],
  hover: string | null
): Translucency {
  const faint = new Set<number>()
  const revealed = new Set<number>()
  for (const { view, spot } of placed) {
    if (view.mark !== 'open' && !view.ghost && view.site !== hover) continue
    const ghost = view.ghost?.floors ?? 0
    const points = [
      camera.at(spot.x + TOWER / 2, spot.y + TOWER / 2, view.height),
      camera.at(spot.x + TOWER / 2, spot.y + TOWER * 0.9, view.height + ghost / 2)
    ]
    for (const tower of towers) {
      if (tower.spot.depth <= spot.depth) continue
      if (!points.some((point) => isInside(point, tower.outline))) continue
      faint.add(tower.index)
      revealed.add(view.index)
    }
  }
  return { faint, revealed }
}

/** The visible point of a tower nearest to its roof, pushed a little outwards; null if the roof
 * itself is visible. */
function findBadgePoint(tower: TowerShape, front: readonly TowerShape[]): Point | null {
  const { camera, height } = tower
  const { x, y } = tower.spot
  const isHidden = (point: Point): boolean => front.some(({ outline }) => isInside(point, outline))
  const onRoof = ([u, v]: Point): Point => camera.at(x + u * TOWER, y + v * TOWER, height)
  const samples = ROOF_SAMPLES.map(onRoof)
  if (samples.filter(isHidden).length < 2) return null
  const centre = samples[0]!
  let best: { distance: number; point: Point } | null = null
  for (const u of TENTHS) {
    for (const v of TENTHS) {
      const down = height - v * Math.min(2, height)
      const candidates = [
        onRoof([u, v]),
        camera.at(x + TOWER, y + u * TOWER, down),
        camera.at(x + u * TOWER, y + TOWER, down)
      ]
      for (const point of candidates) {
        if (isHidden(point)) continue
        const distance = Math.hypot(point[0] - centre[0], point[1] - centre[1])
        if (!best || distance < best.distance) best = { distance, point }
      }
    }
  }
  if (!best) return centre
  const [dx, dy] = [best.point[0] - centre[0], best.point[1] - centre[1]]
  const length = Math.hypot(dx, dy) || 1
  return [best.point[0] + (dx / length) * 8, best.point[1] + (dy / length) * 6]
}
