import { describe, expect, it } from 'vitest'
import { siteIndex, siteName } from '$/model/notation'
import { memoizeSites, neighbour, type SiteView } from './board-types'

const views = Array.from({ length: 54 }, (_, index): SiteView => ({
  index,
  site: siteName(index),
  city: Math.floor(index / 9),
  row: Math.floor((index % 9) / 3),
  column: index % 3,
  tower: [],
  height: 0,
  owner: null,
  mark: null,
  note: null,
  ghost: null,
  selected: false,
  isLast: false,
  highlighted: null,
  award: null
}))

describe('the arrow keys', () => {
  const next = (site: string, key: string, across: number): string | null => {
    const index = neighbour(siteIndex(site), key, views, across)
    return index === null ? null : siteName(index)
  }

  it('move inside a city', () => {
    expect(next('A5', 'ArrowUp', 3)).toBe('A2')
    expect(next('A5', 'ArrowRight', 3)).toBe('A6')
  })

  it('cross from city to city, as they are arranged', () => {
    expect(next('A3', 'ArrowRight', 3)).toBe('B1')
    expect(next('A8', 'ArrowDown', 3)).toBe('D2')
    expect(next('A8', 'ArrowDown', 2)).toBe('C2')
  })

  it('stop at the edge of the board', () => {
    expect(next('A1', 'ArrowLeft', 3)).toBeNull()
    expect(next('F9', 'ArrowDown', 3)).toBeNull()
    expect(next('A1', 'Enter', 3)).toBeNull()
  })
})

describe('memoized sites', () => {
  it('keep their identity until they change', () => {
    const memoize = memoizeSites()
    const first = memoize(views.map((view) => ({ ...view })))
    const ghost = { colour: 'blue', floors: 2 } as const
    const changed = views.map((view) => ({ ...view, ghost: view.index === 7 ? ghost : null }))
    const second = memoize(changed)
    expect(second.filter((view, n) => view !== first[n]).map(({ index }) => index)).toEqual([7])
    // An equal ghost is no change.
    const third = memoize(changed.map((view) => ({ ...view, ghost: view.ghost && { ...ghost } })))
    expect(third).toEqual(second)
    expect(third.every((view, n) => view === second[n])).toBe(true)
  })
})
