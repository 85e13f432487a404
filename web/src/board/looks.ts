/** What is to be drawn: sites and cities, whoever asks for them. */

import type { Snippet } from 'svelte'
import type { Colour } from '$/protocol/told'
import type { Block } from '$/game/words'

export interface SiteLook {
  index: number
  site: string
  city: number
  row: number
  column: number
  tower: readonly Block[]
  height: number
  owner: Colour | null
  /** Can something be built here with what is picked? */
  mark: 'open' | 'barred' | null
  /** A short word on what is barred. */
  note: string | null
  /** What would be built. */
  ghost: Block | null
  chosen: boolean
  last: boolean
  /** While points are given: does it count now, and for how much? */
  lit: boolean | null
  award: number | null
}

export interface CityLook {
  name: string
  leader: { colour: Colour; towers: number } | null
  /** Who leads, in words. */
  lead: string
  /** Points that are given for it at the moment. */
  award?: { colour: Colour; points: number } | null
}

/** What both drawings of the board are given. */
export interface BoardProps {
  sites: readonly SiteLook[]
  cities: readonly CityLook[]
  label: string
  /** With little room. */
  narrow?: boolean
  /** How many cities stand side by side. */
  across?: 2 | 3
  hover?: string | null
  /** The site to which the Tab key leads. */
  active?: number
  pick?: (site: string) => void
  point?: (site: string | null) => void
  /** Says something about the site where the pointer is. */
  tip?: Snippet<[SiteLook]>
  /** A site in words. */
  describe?: (look: SiteLook) => string
}

/** The next site in a direction, in a drawing with so many cities across. */
export function neighbour(
  index: number,
  key: string,
  looks: readonly SiteLook[],
  across: number
): number | null {
  const from = looks.find((look) => look.index === index)
  if (!from) return null
  const at = (look: SiteLook): [number, number] => [
    Math.floor(look.city / across) * 3 + look.row,
    (look.city % across) * 3 + look.column
  ]
  const [row, column] = at(from)
  const steps: Record<string, [number, number]> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1]
  }
  const wanted = steps[key]
  if (!wanted) return null
  const found = looks.find((look) => {
    const [r, c] = at(look)
    return r === wanted[0] && c === wanted[1]
  })
  return found?.index ?? null
}

/** Keeps what looks the same the very same thing, so that only what has changed is drawn anew. */
export function steadily(): (looks: SiteLook[]) => SiteLook[] {
  let last: SiteLook[] = []
  return (looks) => {
    last = looks.map((look, n) => (last[n] && same(look, last[n]) ? last[n] : look))
    return last
  }
}

function same(one: SiteLook, other: SiteLook): boolean {
  for (const name in one) {
    const key = name as keyof SiteLook
    if (key !== 'ghost' && one[key] !== other[key]) return false
  }
  return one.ghost?.colour === other.ghost?.colour && one.ghost?.floors === other.ghost?.floors
}
