import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeWebSocket, stubBrowser } from '$/protocol/fixtures/fake-browser'
import type {
  Position,
  PrivateState,
  ScoreEvent,
  SeatInfo,
  TableInfo,
  UpdateMessage,
  ViewMessage
} from '$/protocol/types.gen'
import { TableStore } from './table-store.svelte'

const seat = (changes: Partial<SeatInfo>): SeatInfo => ({
  side: 'south',
  colours: ['orange'],
  name: 'Ada',
  occupant: 'person',
  level: null,
  you: false,
  bot_controlled: false,
  time_after_return: null,
  resigned: false,
  nonce_hash: null,
  nonce: null,
  ...changes
})
const table = {
  id: 't1',
  stage: 'playing',
  seats: [
    seat({ you: true }),
    seat({ side: 'west', colours: ['blue'], name: 'Hard 9', occupant: 'bot', level: 'hard' }),
    seat({ side: 'north', colours: ['yellow'], name: 'Bob' })
  ],
  undo: null
} as unknown as TableInfo
const position = {
  ply: 4,
  round: 1,
  phase: 'build',
  mover: 0,
  towers: { A1: { blocks: 'b2' } }
} as unknown as Position
const privateState: PrivateState = {
  player: 0,
  hand: [1, 2, 3, 4],
  moves: { kind: 'remove', moves: ['-1'] },
  undo: { allowed: false, reason: 'nothing_to_undo', params: {} }
}
const view = {
  type: 'view',
  number: 7,
  now: Date.now(),
  table,
  position,
  private: privateState,
  game_events: [{ type: 'build', player: 1, move: 'A1+2', card: 1 }],
  chat: [],
  presence: { type: 'presence', present: [true, true, true], spectators: 0 }
} as unknown as ViewMessage
const update = (number: number, changes: Partial<UpdateMessage>): object => ({
  type: 'update',
  number,
  at: 1,
  event: { type: 'move_played', player: 0, move: 'A1+3' },
  ...changes
})

let store: TableStore
const receive = (message: object): void => FakeWebSocket.last.receive(message)
const lastCommand = () => FakeWebSocket.last.sent.at(-1)!

beforeEach(() => {
  stubBrowser()
  store = new TableStore('t1')
  FakeWebSocket.last.open(view)
})
afterEach(() => {
  store.close()
  vi.unstubAllGlobals()
})

describe('a view', () => {
  it('replaces everything', () => {
    expect(store.position).toEqual(position)
    expect(store.towers.get('A1')).toEqual([{ colour: 'blue', floors: 2 }])
    expect(store.logEntries.map(({ kind }) => kind)).toEqual(['built'])
    expect([store.me, store.side, store.isSeated]).toEqual([0, 'south', true])
  })

  it('names bots by their level', () => {
    expect(store.table!.seats.map(({ name }) => name)).toEqual(['Ada', 'Hard 1', 'Bob'])
  })

  it('offers no moves while a bot controls the seat', () => {
    const seats = table.seats.map((each, n) => ({ ...each, bot_controlled: n === 0 }))
    receive(update(7, { table: { ...table, seats } }))
    expect(store.privateState).toMatchObject({ hand: [1, 2, 3, 4], moves: null })
  })
})

describe('an update', () => {
  const move = update(7, {
    patch: { ply: 5, mover: 1 },
    private: { ...privateState, moves: null },
    game_events: [{ type: 'build', player: 0, move: 'A1+3', card: 1, drew: 5 }]
  })

  it('patches the position and extends the log', () => {
    receive(move)
    expect(store.position).toMatchObject({ ply: 5, mover: 1, round: 1 })
    expect(store.privateState!.moves).toBeNull()
    expect(store.logEntries.at(-1)).toMatchObject({ kind: 'built', takenFrom: 'blue' })
  })

  it('is ignored when it is repeated', () => {
    receive(move)
    receive(move)
    expect(store.logEntries).toHaveLength(2)
    expect(store.nextUpdateNumber()).toBe(8)
  })

  it('keeps the board of a scored round', () => {
    const sheet: ScoreEvent = { type: 'score', round: 1, colours: {}, scores: [1, 0, 0] }
    receive(update(7, { patch: { round: 2 }, game_events: [sheet] }))
    expect(store.scored).toMatchObject({ sheet: { round: 1 } })
    expect(store.scored!.towers.size).toBe(1)
  })

  it('adds chat messages and seat events', () => {
    receive(update(7, { event: { type: 'chat_sent', name: 'Bob', seat: 2, text: 'Hi' } }))
    receive(update(8, { event: { type: 'time_expired', player: 2 } }))
    expect(store.chat).toEqual([{ number: 7, at: 1, name: 'Bob', seat: 2, text: 'Hi' }])
    expect(store.logEntries.at(-1)).toEqual({ kind: 'time_expired', seat: 2 })
  })

  it('that undoes a move fetches the log again', async () => {
    const fetched = { ...view, number: 8, game_events: [] }
    const response = Response.json(fetched)
    vi.stubGlobal('fetch', () => Promise.resolve(response))
    receive(update(7, { patch: { ply: 3 } }))
    await vi.waitFor(() => expect(store.logEntries).toEqual([]))
  })

  it('that undoes a move changes the board at once, and a chat message does not stop the log', async () => {
    const numbers = [8, 9]
    const nextView = (): object => ({ ...view, number: numbers.shift() ?? 9, game_events: [] })
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json(nextView())))
    receive(update(7, { patch: { ply: 3, towers: { A1: null } } }))
    expect(store.towers.size).toBe(0)
    receive(update(8, { event: { type: 'chat_sent', name: 'Bob', seat: 2, text: 'Hi' } }))
    await vi.waitFor(() => expect(store.logEntries).toEqual([]))
  })
})

describe('a command', () => {
  it('waits for its answer', () => {
    store.play('-1')
    expect(lastCommand()).toMatchObject({ type: 'play', ply: 4, move: '-1' })
    expect(store.waiting).toBe(true)
    store.play('-1') // is not sent twice
    expect(FakeWebSocket.last.sent).toHaveLength(1)
    receive({ type: 'error', reason: 'too_late', params: {}, text: '', reply_to: lastCommand().id })
    expect([store.waiting, store.error?.reason]).toEqual([false, 'too_late'])
  })

  it('asks for the reason of an illegal move', () => {
    store.explain('B1+4')
    const problem = { reason: 'no_such_card', params: {}, text: '' }
    receive({ type: 'why', reply_to: lastCommand().id, problem })
    expect(store.explanation).toEqual({ move: 'B1+4', error: problem })
    expect([store.explanationAt('B1'), store.explanationAt('B2')]).toEqual([problem, null])
    receive(update(7, { patch: { ply: 5, mover: 1 } }))
    expect(store.explanation).toBeNull()
  })
})

describe('a chat message', () => {
  it('returns to the draft if it is rejected', () => {
    store.chatDraft = ' Hello '
    store.sendChat()
    expect(store.chatDraft).toBe('')
    store.chatDraft = 'again'
    receive({
      type: 'error',
      reason: 'too_often',
      params: {},
      text: '',
      reply_to: lastCommand().id
    })
    expect([store.chatDraft, store.chatError?.reason]).toEqual(['Hello again', 'too_often'])
    expect(store.error).toBeNull()
  })
})

describe('an undo request of the viewer', () => {
  const requested = { ...table, undo: { player: 0, ply: 3, you_decide: false } }
  const answer = (accepted: boolean, reply_to?: string): object =>
    update(8, { event: { type: 'undo_answered', accepted }, table, reply_to })
  beforeEach(() =>
    receive(update(7, { event: { type: 'undo_requested', player: 0, ply: 3 }, table: requested }))
  )

  it('is reported as declined', () => {
    receive(answer(false))
    expect(store.undoDeclined).toBe(true)
  })

  it('is not reported if it was accepted or withdrawn', () => {
    receive(answer(true))
    expect(store.undoDeclined).toBe(false)
    receive(update(9, { table: requested }))
    receive({ ...answer(false, 'mine'), number: 10 })
    expect(store.undoDeclined).toBe(false)
  })
})

it('reconnects after a change of identity', () => {
  store.reconnect()
  expect(FakeWebSocket.all).toHaveLength(2)
  expect(FakeWebSocket.last.address).not.toContain('since')
})
