import { describe, expect, it } from 'vitest'
import type { GameEvent } from '$/protocol/types.gen'
import saved from './fixtures/two-players.json'
import { shuffleCards, verifyShuffles, type ShuffleRecord } from './verify-shuffle'

const ZERO_SEED = new Uint8Array(32)
const SORTED_DECK = Array.from({ length: 45 }, (_, n) => Math.floor(n / 5) + 1)
const record = saved as unknown as ShuffleRecord

describe('the published test vector (docs/reference/record.md)', () => {
  it('deals the deck of 32 zero bytes', () => {
    expect(shuffleCards(ZERO_SEED, 0, SORTED_DECK).join(' ')).toBe(
      '6 9 8 3 7 5 1 9 5 4 3 1 6 2 7 4 8 8 7 2 5 3 1 4 6 8 3 1 2 4 7 3 7 6 5 5 9 2 9 4 8 6 9 2 1'
    )
  })

  it('shuffles again with the number of the shuffle', () => {
    const pile = shuffleCards(ZERO_SEED, 1, SORTED_DECK)
    expect(pile.slice(0, 10)).toEqual([1, 4, 1, 5, 9, 5, 2, 4, 7, 9])
  })
})

describe('a record', () => {
  const changed = (change: Partial<ShuffleRecord>): ShuffleRecord => ({ ...record, ...change })
  const changedEvent = (type: GameEvent['type'], change: object): ShuffleRecord => {
    const at = record.events.findIndex((event) => event.type === type)
    return changed({
      events: record.events.map((event, n) =>
        n === at ? ({ ...event, ...change } as GameEvent) : event
      )
    })
  }

  it('is verified if every card follows from the seed', () => {
    expect(record.events.some((event) => event.type === 'shuffle')).toBe(true)
    expect(verifyShuffles(record)).toBe(true)
  })

  it('is rejected if anything was changed', () => {
    const { seed, deck } = record
    expect(verifyShuffles(changed({ seed: seed!.replace('0', '1') }))).toBe(false)
    expect(verifyShuffles(changed({ commitment: seed }))).toBe(false)
    expect(verifyShuffles(changed({ deck: [...deck!].reverse() }))).toBe(false)
    expect(verifyShuffles(changedEvent('build', { drew: 9 }))).toBe(false)
    expect(verifyShuffles(changedEvent('shuffle', { pile: [1, 2, 3] }))).toBe(false)
  })

  it('is rejected if it hides what has to be verified', () => {
    expect(verifyShuffles(changed({ seed: null }))).toBe(false)
    expect(verifyShuffles(changed({ deck: null }))).toBe(false)
    expect(verifyShuffles(changed({ commitment: null }))).toBe(false)
    expect(verifyShuffles(changedEvent('build', { drew: undefined }))).toBe(false)
  })

  it('may contain a player who redraws', () => {
    const deck = record.deck!
    const redraw: GameEvent = {
      type: 'redraw',
      player: 0,
      hand: deck.slice(0, 4),
      drew: deck.slice(8, 12)
    }
    expect(verifyShuffles(changed({ events: [redraw] }))).toBe(true)
    expect(verifyShuffles(changed({ events: [{ ...redraw, drew: deck.slice(9, 13) }] }))).toBe(
      false
    )
  })
})
