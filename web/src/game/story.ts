/** What has happened in a game, told move by move, with what each move changed on the board. */

import type { Colour, EventTold, ScoreTold } from '$/protocol/told'
import { blocksOf, colourOf, readMove, type Block, type Size } from './words'

export type Towers = ReadonlyMap<string, readonly Block[]>

export type Line =
  | { kind: 'chose'; player: number; blocks: Size[][] }
  | Built
  | { kind: 'took_out'; player: number; colour: Colour; floors: number }
  | { kind: 'redrew'; player: number; hand: number[] }
  | { kind: 'shuffled' }
  | { kind: 'scored'; sheet: ScoreTold }
  | Aside

/** Somebody stops to play himself, or does so again: no part of the game, but of its evening. */
export interface Aside {
  kind: 'resigned' | 'ran_out' | 'returned'
  whose: number
}

export interface Built {
  kind: 'built'
  player: number
  site: string
  colour: Colour
  floors: number
  card: number
  drew: number | null
  /** Whose tower it was. */
  from: Colour | null
  /** The floors of the colour that builds, and of the owner before, afterwards. */
  own: number
  theirs: number
  before: number
  after: number
}

export const isAside = (line: Line): line is Aside => 'whose' in line

export const heightOf = (tower: readonly Block[]): number =>
  tower.reduce((sum, block) => sum + block.floors, 0)

export const ownerOf = (tower: readonly Block[]): Colour | null => tower.at(-1)?.colour ?? null

export const floorsOf = (tower: readonly Block[], colour: string): number =>
  heightOf(tower.filter((block) => block.colour === colour))

/** Tells events, given the colours of each player. The lines and the board only ever grow. */
export class Story {
  readonly lines: Line[] = []
  #towers = new Map<string, readonly Block[]>()
  #colours: readonly (readonly string[])[]

  /** What was before may know of something that is not told among the events: it stays where it
   * was. */
  constructor(
    colours: readonly (readonly string[])[],
    events: readonly EventTold[] = [],
    before: readonly Line[] = []
  ) {
    this.#colours = colours
    const lines = before[Symbol.iterator]()
    const asides = (): void => {
      for (let one = lines.next(); !one.done && isAside(one.value); one = lines.next())
        this.lines.push(one.value)
    }
    asides()
    for (const event of events) {
      this.tell(event)
      asides()
    }
    this.lines.push(...[...lines].filter(isAside))
  }

  get towers(): Towers {
    return this.#towers
  }

  tell(event: EventTold): Line {
    const line = this.#line(event)
    this.lines.push(line)
    return line
  }

  /** Somebody went or came, if that is what happened. */
  note({ type, player }: Record<string, unknown>): boolean {
    if (type !== 'resigned' && type !== 'ran_out' && type !== 'returned') return false
    this.lines.push({ kind: type, whose: Number(player) })
    return true
  }

  #line(event: EventTold): Line {
    switch (event.type) {
      case 'score':
        return { kind: 'scored', sheet: event }
      case 'shuffle':
        return { kind: 'shuffled' }
      case 'redraw':
        return { kind: 'redrew', player: event.player, hand: event.hand }
    }
    const move = readMove(event.move)
    const { player } = event
    if (move.kind === 'select') return { kind: 'chose', player, blocks: move.blocks }
    const colour = colourOf(move.letter, this.#colours[player]!)
    if (move.kind === 'remove') return { kind: 'took_out', player, colour, floors: move.size }
    const tower = this.#towers.get(move.site) ?? []
    const owner = ownerOf(tower)
    const from = owner === colour ? null : owner
    const grown = [...tower, { colour, floors: move.size }]
    this.#towers.set(move.site, grown)
    return {
      kind: 'built',
      player,
      site: move.site,
      colour,
      floors: move.size,
      card: event.type === 'build' ? event.card : 0,
      drew: event.type === 'build' ? (event.drew ?? null) : null,
      from,
      own: floorsOf(grown, colour),
      theirs: from ? floorsOf(tower, from) : 0,
      before: heightOf(tower),
      after: heightOf(grown)
    }
  }
}

/** How many towers each colour owns in each city. */
export function counts(towers: Towers): Record<string, number>[] {
  const found: Record<string, number>[] = Array.from({ length: 6 }, () => ({}))
  for (const [site, tower] of towers) {
    const owner = ownerOf(tower)
    const city = found['ABCDEF'.indexOf(site[0]!)]
    if (owner && city) city[owner] = (city[owner] ?? 0) + 1
  }
  return found
}

/** The colour with more towers than every other, if there is one. */
export function leader(count: Record<string, number>): { colour: Colour; towers: number } | null {
  const [first, second] = Object.entries(count).sort(([, a], [, b]) => b - a)
  if (!first || first[1] === second?.[1]) return null
  return { colour: first[0] as Colour, towers: first[1] }
}

/** The sites of the tallest towers. */
export function tallest(towers: Towers): { floors: number; sites: string[] } {
  let floors = 0
  let sites: string[] = []
  for (const [site, tower] of towers) {
    const height = heightOf(tower)
    if (height > floors) [floors, sites] = [height, [site]]
    else if (height === floors && height) sites.push(site)
  }
  return { floors, sites }
}

export function towersOf(told: Record<string, { blocks: string } | null>): Towers {
  return new Map(
    Object.entries(told).flatMap(([site, tower]) => (tower ? [[site, blocksOf(tower.blocks)]] : []))
  )
}
