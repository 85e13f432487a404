/** Event log: the events of a game as log entries, with what each of them changed on the board. */

import type { Colour, GameEvent, ScoreEvent, UpdateMessage } from '$/protocol/types.gen'
import { CITY_LETTERS, colourOf, parseBlocks, parseMove, type Block, type Size } from './notation'

export type Towers = ReadonlyMap<string, readonly Block[]>

export type LogEntry =
  | { kind: 'selected'; player: number; blocks: Size[][] }
  | BuildEntry
  | { kind: 'removed'; player: number; colour: Colour; floors: number }
  | { kind: 'redrew'; player: number; hand: number[] }
  | { kind: 'shuffled' }
  | { kind: 'scored'; sheet: ScoreEvent }
  | SeatEntry

/** A player hands the seat to a bot, or takes it back: an event of the table, not of the game. */
export interface SeatEntry {
  kind: 'player_resigned' | 'time_expired' | 'player_substituted' | 'player_returned'
  seat: number
}

export interface BuildEntry {
  kind: 'built'
  player: number
  site: string
  colour: Colour
  floors: number
  /** The colour that lost the tower. */
  takenFrom: Colour | null
  /** The floors of the building colour, and of the previous owner, after the move. */
  ownFloors: number
  previousOwnerFloors: number
  heightBefore: number
  heightAfter: number
}

export const isSeatEntry = (entry: LogEntry): entry is SeatEntry => 'seat' in entry

const isMoveEntry = (
  entry: LogEntry
): entry is Extract<LogEntry, { kind: 'selected' | 'built' | 'removed' }> =>
  entry.kind === 'selected' || entry.kind === 'built' || entry.kind === 'removed'

export const heightOf = (tower: readonly Block[]): number =>
  tower.reduce((sum, block) => sum + block.floors, 0)

export const ownerOf = (tower: readonly Block[]): Colour | null => tower.at(-1)?.colour ?? null

export const floorsOf = (tower: readonly Block[], colour: string): number =>
  heightOf(tower.filter((block) => block.colour === colour))

/** Folds events into entries and towers, given the colours of each player. Both only grow. */
export class EventLog {
  readonly entries: LogEntry[] = []
  #towers = new Map<string, readonly Block[]>()
  #colours: readonly (readonly string[])[]

  /** Seat entries of an earlier log keep their places among the entries of the events, which do not
   * include them. */
  constructor(
    colours: readonly (readonly string[])[],
    events: readonly GameEvent[] = [],
    earlier: readonly LogEntry[] = []
  ) {
    this.#colours = colours
    const iterator = earlier[Symbol.iterator]()
    const copySeatEntries = (): void => {
      for (
        let next = iterator.next();
        !next.done && isSeatEntry(next.value);
        next = iterator.next()
      )
        this.entries.push(next.value)
    }
    copySeatEntries()
    for (const event of events) {
      this.add(event)
      copySeatEntries()
    }
    this.entries.push(...[...iterator].filter(isSeatEntry))
  }

  get towers(): Towers {
    return this.#towers
  }

  add(event: GameEvent): LogEntry {
    const entry = this.#toEntry(event)
    this.entries.push(entry)
    return entry
  }

  /** Add an event of the table if it concerns who controls a seat; return whether it does. */
  addSeatEvent(event: UpdateMessage['event']): boolean {
    switch (event.type) {
      case 'player_resigned':
      case 'time_expired':
      case 'player_substituted':
      case 'player_returned':
        this.entries.push({ kind: event.type, seat: event.player })
        return true
      default:
        return false
    }
  }

  #toEntry(event: GameEvent): LogEntry {
    switch (event.type) {
      case 'score':
        return { kind: 'scored', sheet: event }
      case 'shuffle':
        return { kind: 'shuffled' }
      case 'redraw':
        return { kind: 'redrew', player: event.player, hand: event.hand }
    }
    const move = parseMove(event.move)
    const { player } = event
    if (move.kind === 'select') return { kind: 'selected', player, blocks: move.blocks }
    const colour = colourOf(move.letter, this.#colours[player]!)
    if (move.kind === 'remove') return { kind: 'removed', player, colour, floors: move.size }
    const before = this.#towers.get(move.site) ?? []
    const after = [...before, { colour, floors: move.size }]
    const owner = ownerOf(before)
    const takenFrom = owner === colour ? null : owner
    this.#towers.set(move.site, after)
    return {
      kind: 'built',
      player,
      site: move.site,
      colour,
      floors: move.size,
      takenFrom,
      ownFloors: floorsOf(after, colour),
      previousOwnerFloors: takenFrom ? floorsOf(before, takenFrom) : 0,
      heightBefore: heightOf(before),
      heightAfter: heightOf(after)
    }
  }
}

/** What happened after a player's last move: the entries of a new hand, which comes before a move,
 * are part of it. Empty before the player's first move. */
export function entriesSinceMoveOf(entries: readonly LogEntry[], player: number): LogEntry[] {
  const last = entries.findLastIndex((entry) => isMoveEntry(entry) && entry.player === player)
  return last < 0 ? [] : entries.slice(last + 1)
}

/** The number of towers that each colour owns, city by city. */
export function countTowers(towers: Towers): Record<string, number>[] {
  const cities: Record<string, number>[] = Array.from({ length: 6 }, () => ({}))
  for (const [site, tower] of towers) {
    const owner = ownerOf(tower)
    const city = cities[CITY_LETTERS.indexOf(site[0]!)]
    if (owner && city) city[owner] = (city[owner] ?? 0) + 1
  }
  return cities
}

/** The colour with more towers than every other colour, if there is one. */
export function majorityOwner(
  counts: Record<string, number>
): { colour: Colour; towers: number } | null {
  const [first, second] = Object.entries(counts).sort(([, a], [, b]) => b - a)
  if (!first || first[1] === second?.[1]) return null
  return { colour: first[0] as Colour, towers: first[1] }
}

/** The height and the sites of the tallest towers. */
export function tallestTowers(towers: Towers): { floors: number; sites: string[] } {
  let floors = 0
  let sites: string[] = []
  for (const [site, tower] of towers) {
    const height = heightOf(tower)
    if (height > floors) [floors, sites] = [height, [site]]
    else if (height === floors && height) sites.push(site)
  }
  return { floors, sites }
}

export function parseTowers(payload: Record<string, { blocks: string } | null>): Towers {
  return new Map(
    Object.entries(payload).flatMap(([site, tower]) =>
      tower ? [[site, parseBlocks(tower.blocks)]] : []
    )
  )
}
