/** Checking the shuffles of a finished game: what the server promised at the deal, and what every
 * shuffle gave, follow from the seed by the published way (docs/record.md). */

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { EventTold } from '$/protocol/told'

export interface Record {
  seed: string | null
  commitment: string | null
  deck: number[] | null
  players: unknown[]
  events: EventTold[]
}

const DECK = Array.from({ length: 45 }, (_, n) => Math.floor(n / 5) + 1)

function number32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** The bytes of one shuffle: SHA-256 of the seed, the shuffle's number and a counter. */
class Source {
  #counter = 0
  #bytes = new Uint8Array(0)

  constructor(
    readonly seed: Uint8Array,
    readonly shuffle: number
  ) {}

  #next(): number {
    if (this.#bytes.length < 4) {
      this.#bytes = sha256(
        concatBytes(this.seed, number32(this.shuffle), number32(this.#counter++))
      )
    }
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getUint32(0)
    this.#bytes = this.#bytes.slice(4)
    return value
  }

  below(limit: number): number {
    const most = limit * Math.floor(2 ** 32 / limit)
    let value = this.#next()
    while (value >= most) value = this.#next()
    return value % limit
  }
}

export function shuffled(seed: Uint8Array, shuffle: number, cards: readonly number[]): number[] {
  const pile = [...cards]
  const source = new Source(seed, shuffle)
  for (let at = pile.length - 1; at > 0; at--) {
    const other = source.below(at + 1)
    ;[pile[at], pile[other]] = [pile[other]!, pile[at]!]
  }
  return pile
}

/** Is all as it was promised: the seed, every shuffle, and every card that was drawn? */
export function isFair(record: Record): boolean {
  if (!record.seed || !record.commitment || !record.deck) return false
  const seed = hexToBytes(record.seed)
  if (bytesToHex(sha256(seed)) !== record.commitment) return false
  if (!same(shuffled(seed, 0, DECK), record.deck)) return false
  let pile = record.deck.slice(4 * record.players.length)
  let played: number[] = []
  let shuffles = 1
  for (const [at, event] of record.events.entries()) {
    if (event.type === 'shuffle') {
      // It is told directly before the event that needed a card, whose own cards are in it.
      const cards = [...played, ...putDown(record.events[at + 1])].sort((a, b) => a - b)
      const fresh = shuffled(seed, shuffles++, cards)
      if (!same(fresh, event.pile)) return false
      pile = [...pile, ...fresh]
      played = []
    } else if (event.type === 'build' || event.type === 'redraw') {
      if (record.events[at - 1]?.type !== 'shuffle') played.push(...putDown(event))
      const drew = [event.drew].flat()
      if (!same(pile.splice(0, putDown(event).length), drew)) return false
    }
  }
  return true
}

function putDown(event: EventTold | undefined): number[] {
  return event?.type === 'build' ? [event.card] : event?.type === 'redraw' ? event.hand : []
}

const same = (one: readonly number[], other: readonly unknown[] | undefined): boolean =>
  one.join() === other?.join()
