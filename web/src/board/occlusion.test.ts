import { describe, expect, it } from 'vitest'
import { heightOf, ownerOf } from '$/model/event-log'
import { parseBlocks } from '$/model/notation'
import type { SiteView } from './board-types'
import { camera } from './camera'
import { spotLookup } from './layout'
import { occlusionTracker, type DrawnSite, type PlacedSite } from './occlusion'

const spotOf = spotLookup(3)
const CAMERA = camera(78, 10.5)

/** The nine sites of the first city, from back to front, with towers by position. */
function city(
  towers: Record<number, string>,
  changes: Record<number, Partial<SiteView>> = {}
): PlacedSite[] {
  return Array.from({ length: 9 }, (_, index) => {
    const tower = parseBlocks(towers[index] ?? '')
    const view: SiteView = {
      index,
      site: `A${index + 1}`,
      city: 0,
      row: Math.floor(index / 3),
      column: index % 3,
      tower,
      height: heightOf(tower),
      owner: ownerOf(tower),
      mark: null,
      note: null,
      ghost: null,
      selected: false,
      isLast: false,
      highlighted: null,
      award: null,
      ...changes[index]
    }
    return { view, spot: spotOf(view) }
  }).sort((a, b) => a.spot.depth - b.spot.depth)
}
const at = (drawn: readonly DrawnSite[], index: number): DrawnSite =>
  drawn.find(({ view }) => view.index === index)!
const TALL = 'o4o4o4o4'

describe('a tower behind a tall one', () => {
  it('shows its height beside its hidden roof', () => {
    const drawn = occlusionTracker()(CAMERA, city({ 1: 'b1', 4: TALL }), null)
    expect(at(drawn, 1).badge).not.toBeNull()
    expect(at(drawn, 4).badge).toBeNull()
    expect(drawn.some(({ isFaint }) => isFaint)).toBe(false)
  })

  it('needs no badge if the tower in front is low', () => {
    const drawn = occlusionTracker()(CAMERA, city({ 1: 'b4', 4: 'o1' }), null)
    expect(at(drawn, 1).badge).toBeNull()
  })

  it('makes the tall one translucent while it is pointed at', () => {
    const track = occlusionTracker()
    const placed = city({ 1: 'b1', 4: TALL })
    const drawn = track(CAMERA, placed, 'A2')
    expect([at(drawn, 4).isFaint, at(drawn, 1).isRevealed]).toEqual([true, true])
    expect(at(drawn, 4).badge).not.toBeNull() // its height is written on its front
    expect(at(track(CAMERA, placed, null), 4).isFaint).toBe(false)
  })

  it('makes the tall one translucent while it is open, or shows a ghost', () => {
    const ghost = { colour: 'blue', floors: 1 } as const
    for (const change of [{ mark: 'open' as const }, { ghost }]) {
      const drawn = occlusionTracker()(CAMERA, city({ 1: 'b1', 4: TALL }, { 1: change }), null)
      expect(at(drawn, 4).isFaint).toBe(true)
    }
  })
})

it('never hides what is in front', () => {
  const drawn = occlusionTracker()(CAMERA, city({ 1: TALL, 7: 'b1' }), 'A8')
  expect([at(drawn, 1).isFaint, at(drawn, 7).badge]).toEqual([false, null])
})

it('returns the same object for a site that has not changed', () => {
  const track = occlusionTracker()
  const placed = city({ 1: 'b1', 4: TALL })
  const before = track(CAMERA, placed, null)
  const raised = placed.map((site) =>
    site.view.index === 8 ? { ...site, view: { ...site.view, height: 1 } } : site
  )
  const after = track(CAMERA, raised, null)
  expect(after.filter((site, n) => site !== before[n]).map(({ view }) => view.index)).toEqual([8])
})
