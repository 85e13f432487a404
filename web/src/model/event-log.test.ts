import { describe, expect, it } from 'vitest'
import type { GameEvent, ScoreEvent } from '$/protocol/types.gen'
import {
  countTowers,
  entriesSinceMoveOf,
  EventLog,
  floorsOf,
  heightOf,
  majorityOwner,
  ownerOf,
  parseTowers,
  tallestTowers,
  type Towers
} from './event-log'
import { parseBlocks } from './notation'

const COLOURS = [['orange'], ['blue']]
const build = (player: number, move: string): GameEvent => ({
  type: 'build',
  player,
  move,
  card: 1,
  drew: 2
})
const towersFrom = (blocks: Record<string, string>): Towers =>
  new Map(Object.entries(blocks).map(([site, text]) => [site, parseBlocks(text)]))

describe('a tower', () => {
  const tower = parseBlocks('o3b1o2')

  it('has a height, an owner and floors of each colour', () => {
    expect(heightOf(tower)).toBe(6)
    expect(ownerOf(tower)).toBe('orange')
    expect([floorsOf(tower, 'orange'), floorsOf(tower, 'blue'), floorsOf(tower, 'red')]).toEqual([
      5, 1, 0
    ])
  })

  it('has no owner while the site is empty', () => {
    expect(ownerOf([])).toBeNull()
  })
})

describe('the event log', () => {
  it('starts, raises and takes over towers', () => {
    const log = new EventLog(COLOURS)
    expect(log.add(build(0, 'A1+2'))).toMatchObject({ heightBefore: 0, takenFrom: null })
    expect(log.add(build(0, 'A1+1'))).toMatchObject({
      heightBefore: 2,
      heightAfter: 3,
      takenFrom: null
    })
    expect(log.add(build(1, 'A1+4'))).toMatchObject({
      kind: 'built',
      player: 1,
      colour: 'blue',
      takenFrom: 'orange',
      ownFloors: 4,
      previousOwnerFloors: 3,
      heightAfter: 7
    })
    expect([...log.towers]).toEqual([['A1', parseBlocks('o2o1b4')]])
  })

  it('distinguishes the two colours of a player', () => {
    const log = new EventLog([['orange', 'blue']])
    log.add(build(0, 'B2+1o'))
    expect(log.add(build(0, 'B2+2b'))).toMatchObject({ colour: 'blue', takenFrom: 'orange' })
  })

  it('has an entry for every kind of event', () => {
    const sheet: ScoreEvent = { type: 'score', round: 1, colours: {}, scores: [3, 1] }
    const log = new EventLog(COLOURS, [
      { type: 'select', player: 1, move: '[112234]' },
      { type: 'redraw', player: 0, hand: [1, 1, 3, 3] },
      { type: 'remove', player: 0, move: '-2' },
      { type: 'shuffle' },
      sheet
    ])
    expect(log.entries).toEqual([
      { kind: 'selected', player: 1, blocks: [[1, 1, 2, 2, 3, 4]] },
      { kind: 'redrew', player: 0, hand: [1, 1, 3, 3] },
      { kind: 'removed', player: 0, colour: 'orange', floors: 2 },
      { kind: 'shuffled' },
      { kind: 'scored', sheet }
    ])
  })

  it('keeps the places of seat entries when it is rebuilt', () => {
    const events = [build(0, 'A1+1'), build(1, 'A2+1'), build(0, 'A3+1')]
    const before = new EventLog(COLOURS)
    before.addSeatEvent({ type: 'player_returned', player: 1 })
    before.add(events[0]!)
    before.addSeatEvent({ type: 'player_resigned', player: 1 })
    before.add(events[1]!)
    before.add(events[2]!)
    before.addSeatEvent({ type: 'time_expired', player: 0 })
    const kinds = (log: EventLog): string[] => log.entries.map((entry) => entry.kind)
    const rebuilt = new EventLog(COLOURS, events, before.entries)
    expect(kinds(rebuilt)).toEqual(kinds(before))
    // After an undo of the last move the later seat entry is still there.
    const undone = new EventLog(COLOURS, events.slice(0, 2), before.entries)
    expect(kinds(undone)).toEqual([
      'player_returned',
      'built',
      'player_resigned',
      'built',
      'time_expired'
    ])
  })

  it('ignores table events that concern no seat', () => {
    const log = new EventLog(COLOURS)
    expect(log.addSeatEvent({ type: 'chat_sent', name: 'Ada', seat: 0, text: 'hello' })).toBe(false)
    expect(log.entries).toEqual([])
  })
})

describe('the board', () => {
  const towers = towersFrom({ A1: 'o1', A2: 'o2', A3: 'b3', B1: 'b3', C1: 'o1b2' })

  it('counts towers by city and owner', () => {
    expect(countTowers(towers).slice(0, 4)).toEqual([
      { orange: 2, blue: 1 },
      { blue: 1 },
      { blue: 1 },
      {}
    ])
  })

  it('gives the majority to a single leader only', () => {
    expect(majorityOwner({ orange: 2, blue: 1 })).toEqual({ colour: 'orange', towers: 2 })
    expect(majorityOwner({ orange: 2, blue: 2 })).toBeNull()
    expect(majorityOwner({})).toBeNull()
  })

  it('finds all tallest towers', () => {
    expect(tallestTowers(towers)).toEqual({ floors: 3, sites: ['A3', 'B1', 'C1'] })
    expect(tallestTowers(new Map())).toEqual({ floors: 0, sites: [] })
  })

  it('parses the towers of a payload', () => {
    expect(parseTowers({ A1: { blocks: 'o1' }, A2: null })).toEqual(towersFrom({ A1: 'o1' }))
  })
})

describe('what happened since a move', () => {
  const log = new EventLog(COLOURS, [
    { type: 'select', player: 0, move: '[1234]' },
    { type: 'select', player: 1, move: '[1234]' },
    build(0, 'A1+2'),
    build(1, 'A1+3'),
    { type: 'redraw', player: 0, hand: [1, 2, 3, 4] }
  ])
  const kindsSince = (entries: typeof log.entries, player: number): string[] =>
    entriesSinceMoveOf(entries, player).map(({ kind }) => kind)

  it('leaves out the move itself, and keeps a new hand, which is no move', () => {
    expect(kindsSince(log.entries, 0)).toEqual(['built', 'redrew'])
    expect(kindsSince(log.entries, 1)).toEqual(['redrew'])
  })

  it('is nothing before the first move', () => {
    expect(kindsSince(log.entries.slice(0, 1), 1)).toEqual([])
  })
})
