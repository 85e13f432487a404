/** Verification of shuffles: the commitment, every shuffle and every drawn card of a finished game
 * must follow from its seed by the published algorithm (docs/reference/record.md), and a seed that the server
 * and the players' devices drew together must follow from their parts. */

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { GameEvent } from '$/protocol/types.gen'

/** The part of a record that the verification needs. */
export interface ShuffleRecord {
  seed: string | null
  commitment: string | null
  /** The parts of a joint seed; a record without them was dealt by one party alone. */
  server_seed?: string | null
  nonces?: (string | null)[]
  first: number
  deck: number[] | null
  players: unknown[]
  events: GameEvent[]
}

/** The number of the stream from which the start player is drawn. */
const LOT = 2 ** 32 - 1
/** What SHA-256 appends to 32 bytes: as a nonce it would tell its owner the seed. */
const PADDING = `80${'0'.repeat(58)}0100`
const SORTED_DECK = Array.from({ length: 45 }, (_, n) => Math.floor(n / 5) + 1)

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/** The random numbers of one shuffle: SHA-256 of the seed, the shuffle's number and a counter. */
class RandomSource {
  #counter = 0
  #bytes = new Uint8Array(0)

  constructor(
    readonly seed: Uint8Array,
    readonly shuffle: number
  ) {}

  #nextUint32(): number {
    if (this.#bytes.length < 4) {
      this.#bytes = sha256(concatBytes(this.seed, uint32(this.shuffle), uint32(this.#counter++)))
    }
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getUint32(0)
    this.#bytes = this.#bytes.slice(4)
    return value
  }

  /** A number below the limit, without bias: values of the incomplete last range are rejected. */
  below(limit: number): number {
    const end = limit * Math.floor(2 ** 32 / limit)
    let value = this.#nextUint32()
    while (value >= end) value = this.#nextUint32()
    return value % limit
  }
}

/** Shuffle cards by the published algorithm (Fisher–Yates); `shuffle` is the shuffle's number. */
export function shuffleCards(
  seed: Uint8Array,
  shuffle: number,
  cards: readonly number[]
): number[] {
  const pile = [...cards]
  const random = new RandomSource(seed, shuffle)
  for (let at = pile.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    ;[pile[at], pile[other]] = [pile[other]!, pile[at]!]
  }
  return pile
}

/** The SHA-256 of bytes; all in hexadecimal. */
export const hashHex = (hex: string): string => bytesToHex(sha256(hexToBytes(hex)))

/** The start player whom a seed draws. */
export const drawStartPlayer = (seed: string, players: number): number =>
  new RandomSource(hexToBytes(seed), LOT).below(players)

/** Was the seed fixed before the deal, by one party or by all together? */
function isSeedFixed(record: ShuffleRecord & { seed: string }): boolean {
  const { seed, server_seed: serverSeed, nonces, commitment, players } = record
  if (nonces === undefined && serverSeed === undefined) return hashHex(seed) === commitment
  const revealed = nonces?.filter((nonce) => nonce !== null) ?? []
  if (!serverSeed || nonces?.length !== players.length) return false
  if (!revealed.length || revealed.includes(PADDING)) return false
  return hashHex(serverSeed) === commitment && hashHex(serverSeed + revealed.join('')) === seed
}

/** Check the commitment, every shuffle and every drawn card of a game against its seed. */
export function verifyShuffles(record: ShuffleRecord): boolean {
  const { seed: seedText } = record
  if (!seedText || !record.commitment || !record.deck) return false
  if (!isSeedFixed({ ...record, seed: seedText })) return false
  const seed = hexToBytes(seedText)
  if (!areEqual(shuffleCards(seed, 0, SORTED_DECK), record.deck)) return false
  let pile = record.deck.slice(4 * record.players.length)
  let played: number[] = []
  let shuffles = 1
  for (const [at, event] of record.events.entries()) {
    if (event.type === 'shuffle') {
      // A shuffle precedes the event that needed a card, and includes the cards of that event.
      const cards = [...played, ...discardedBy(record.events[at + 1])].sort((a, b) => a - b)
      const shuffled = shuffleCards(seed, shuffles++, cards)
      if (!areEqual(shuffled, event.pile)) return false
      pile = [...pile, ...shuffled]
      played = []
    } else if (event.type === 'build' || event.type === 'redraw') {
      const discarded = discardedBy(event)
      if (record.events[at - 1]?.type !== 'shuffle') played.push(...discarded)
      if (!areEqual(pile.splice(0, discarded.length), [event.drew].flat())) return false
    }
  }
  return true
}

function discardedBy(event: GameEvent | undefined): number[] {
  return event?.type === 'build' ? [event.card] : event?.type === 'redraw' ? event.hand : []
}

const areEqual = (one: readonly number[], other: readonly unknown[] | undefined): boolean =>
  one.join() === other?.join()
