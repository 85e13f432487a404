import { describe, expect, it } from 'vitest'
import type { GameEvent } from '$/protocol/types.gen'
import saved from './fixtures/two-players.json'
import { buildReplay, type GameRecord } from './replay'

const record = saved as unknown as GameRecord
const moves = record.events.filter((event) => 'move' in event)

describe('the replay of a whole game', () => {
  const replay = buildReplay(record)

  it('has a frame for the deal and one for each move', () => {
    expect(replay.frames).toHaveLength(moves.length + 1)
    expect(replay.frames[0]).toMatchObject({ round: 1, mover: null, entryCount: 0, scores: [0, 0] })
    expect(replay.entries).toHaveLength(record.events.length)
    expect(replay.frames.at(-1)!.entryCount).toBe(record.events.length)
  })

  it('knows the schedule', () => {
    expect([replay.blocks, replay.rounds]).toEqual([4, 4])
    expect(replay.roundStarts).toEqual([0, 18, 36, 54])
  })

  it('deals the hands from the start player', () => {
    const { deck } = record
    expect(replay.frames[0]!.hands).toEqual(
      [deck!.slice(0, 4), deck!.slice(4, 8)].map((hand) => hand.sort((a, b) => a - b))
    )
  })

  it('keeps four cards in every hand', () => {
    for (const { hands } of replay.frames) expect(hands!.map((hand) => hand.length)).toEqual([4, 4])
  })

  it('fills the tableaus with the selection and empties them by building', () => {
    expect(replay.frames[1]!.tableaus).toMatchObject({ orange: [1, 0, 0, 3], blue: [1, 0, 2, 1] })
    const lastOfRound = replay.frames[18]!
    expect(
      Object.values(lastOfRound.tableaus)
        .flat()
        .every((count) => count === 0)
    ).toBe(true)
    expect(lastOfRound.sheet?.round).toBe(1)
  })

  it('ends with the scores of the result', () => {
    expect(replay.frames.at(-1)!.scores).toEqual(record.result!.scores)
    expect(replay.sheets.map((sheet) => sheet.round)).toEqual([1, 2, 3, 4])
  })

  it('does not change earlier frames', () => {
    const heights = replay.frames.map(({ towers }) => [...towers.values()].flat().length)
    const builds = moves.map((event) => (event.type === 'build' ? 1 : 0))
    expect(heights).toEqual([0, ...builds.map((_, n) => builds.slice(0, n + 1).reduce(sum, 0))])
  })
})

const sum = (one: number, other: number): number => one + other

describe('an unfinished game', () => {
  const unfinished = (events: GameEvent[]): GameRecord => ({
    ...record,
    deck: null,
    seed: null,
    result: null,
    events
  })

  it('hides the hands where the record has no deck', () => {
    const replay = buildReplay(unfinished(record.events.slice(0, 4)))
    expect(replay.frames.map(({ hands }) => hands)).toEqual([null, null, null, null, null])
    expect(replay.rounds).toBe(1)
  })

  it('counts a round that has just begun', () => {
    const end = record.events.findIndex((event) => event.type === 'score') + 1
    expect(buildReplay(unfinished(record.events.slice(0, end))).rounds).toBe(2)
  })

  it('exchanges the hand of a player who redraws', () => {
    const hand = [...record.deck!.slice(0, 4)].sort((a, b) => a - b)
    const events: GameEvent[] = [
      record.events[0]!,
      { type: 'redraw', player: 0, hand, drew: [2, 9, 4, 4] }
    ]
    const replay = buildReplay({ ...record, result: null, events })
    expect(replay.frames).toHaveLength(2)
    expect(replay.frames[1]!.hands![0]).toEqual([2, 4, 4, 9])
    expect(replay.frames[1]!.entryCount).toBe(2)
  })
})
