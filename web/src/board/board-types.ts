/** What a drawing of the board is given: view models of sites and cities, and callbacks. */

import type { Snippet } from 'svelte'
import type { Block } from '$/model/notation'
import type { Colour } from '$/protocol/types.gen'

export interface SiteView {
  index: number
  site: string
  city: number
  row: number
  column: number
  tower: readonly Block[]
  height: number
  owner: Colour | null
  /** Can the player build here with what is picked? */
  mark: 'open' | 'barred' | null
  /** A short reason why the site is barred. */
  note: string | null
  /** The block that would be built. */
  ghost: Block | null
  selected: boolean
  isLast: boolean
  /** During the scoring: does the site count in this step, and for how many points? */
  highlighted: boolean | null
  award: number | null
}

export interface CityView {
  name: string
  leader: { colour: Colour; towers: number } | null
  /** The leader in words. */
  leadText: string
  /** During the scoring: the points that the city gives in this step. */
  award?: { colour: Colour; points: number } | null
}

/** The props of both drawings of the board. */
export interface BoardProps {
  sites: readonly SiteView[]
  cities: readonly CityView[]
  label: string
  /** Is there little room? */
  narrow?: boolean
  /** The number of cities side by side. */
  across?: 1 | 2 | 3
  hover?: string | null
  /** The site that the Tab key reaches (roving tabindex). */
  active?: number
  pick?: (site: string) => void
  point?: (site: string | null) => void
  /** The content of the tooltip at the site under the pointer. */
  tip?: Snippet<[SiteView]>
  /** The accessible name of a site. */
  describe?: (view: SiteView) => string
}

/** The site next to another one in the direction of an arrow key. */
export function neighbour(
  index: number,
  key: string,
  views: readonly SiteView[],
  across: number
): number | null {
  const from = views.find((view) => view.index === index)
  if (!from) return null
  const gridPosition = (view: SiteView): [number, number] => [
    Math.floor(view.city / across) * 3 + view.row,
    (view.city % across) * 3 + view.column
  ]
  const [row, column] = gridPosition(from)
  const targets: Record<string, [number, number]> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1]
  }
  const target = targets[key]
  if (!target) return null
  const found = views.find((view) => {
    const [r, c] = gridPosition(view)
    return r === target[0] && c === target[1]
  })
  return found?.index ?? null
}

/** Return the previous object for every site that has not changed, so that only changed sites are
 * drawn again. */
export function memoizeSites(): (views: SiteView[]) => SiteView[] {
  let last: SiteView[] = []
  return (views) => {
    last = views.map((view, n) => (last[n] && areEqual(view, last[n]) ? last[n] : view))
    return last
  }
}

function areEqual(one: SiteView, other: SiteView): boolean {
  for (const name in one) {
    const key = name as keyof SiteView
    if (key !== 'ghost' && one[key] !== other[key]) return false
  }
  return one.ghost?.colour === other.ghost?.colour && one.ghost?.floors === other.ghost?.floors
}
