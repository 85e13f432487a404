import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { browserEvents, FakeWebSocket, stubBrowser } from './fixtures/fake-browser'
import { TableSocket, type SocketListener } from './socket'
import type { Message } from './types.gen'

let next: number | null
let received: Message[]
let connections: boolean[]
let closed: number[]
const listener: SocketListener = {
  onMessage: (message) => void received.push(message),
  onConnectionChange: (connected) => void connections.push(connected),
  nextUpdateNumber: () => next,
  onClosed: (code) => void closed.push(code)
}
let socket: TableSocket

beforeEach(() => {
  vi.useFakeTimers()
  stubBrowser()
  ;[next, received, connections, closed] = [null, [], [], []]
  socket = new TableSocket('t1', listener)
})
afterEach(() => {
  socket.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the address', () => {
  it('asks for a whole view first, and for the missed updates later', () => {
    expect(FakeWebSocket.last.address).toBe('wss://example.org/api/tables/t1/socket')
    FakeWebSocket.last.open()
    next = 7
    FakeWebSocket.last.lose()
    vi.advanceTimersByTime(1000)
    expect(FakeWebSocket.last.address).toMatch(/\?since=7$/)
  })
})

describe('a command', () => {
  it('waits for the connection, and is sent when the server is ready', () => {
    const id = socket.send({ type: 'undo', ply: 3 })
    expect(FakeWebSocket.last.sent).toEqual([])
    FakeWebSocket.last.open()
    expect(FakeWebSocket.last.sent).toEqual([{ type: 'undo', ply: 3, id }])
  })

  it('is sent again with the same id after a reconnect, until it is answered', () => {
    FakeWebSocket.last.open()
    const id = socket.send({ type: 'undo', ply: 3 })
    FakeWebSocket.last.lose()
    vi.advanceTimersByTime(1000)
    FakeWebSocket.last.open()
    expect(FakeWebSocket.last.sent).toEqual([{ type: 'undo', ply: 3, id }])
    FakeWebSocket.last.receive({ type: 'done', reply_to: id })
    FakeWebSocket.last.lose()
    vi.advanceTimersByTime(1000)
    FakeWebSocket.last.open()
    expect(FakeWebSocket.last.sent).toEqual([])
  })

  it('has an id of its own', () => {
    const ids = [1, 2, 3].map((ply) => socket.send({ type: 'undo', ply }))
    expect(new Set(ids).size).toBe(3)
  })
})

describe('a lost connection', () => {
  it('is made again, with growing pauses', () => {
    for (const attempts of [1, 2, 3]) {
      expect(FakeWebSocket.all).toHaveLength(attempts)
      FakeWebSocket.last.lose()
      vi.advanceTimersByTime(1.25 * 300 * 2 ** (attempts - 1))
    }
    for (let n = 0; n < 10; n++) {
      FakeWebSocket.last.lose()
      vi.advanceTimersByTime(1.25 * 8000)
    }
    expect(FakeWebSocket.all).toHaveLength(14)
    expect(connections.every((connected) => !connected)).toBe(true)
  })

  it('is made again at once when the browser is online again', () => {
    FakeWebSocket.last.open()
    browserEvents.dispatchEvent(new Event('offline'))
    expect(connections).toEqual([true, false])
    browserEvents.dispatchEvent(new Event('online'))
    expect(FakeWebSocket.all).toHaveLength(2)
  })

  it('is final if the server says so', () => {
    FakeWebSocket.last.lose(4404)
    vi.advanceTimersByTime(60_000)
    expect(closed).toEqual([4404])
    expect(FakeWebSocket.all).toHaveLength(1)
  })

  it('stays closed after close', () => {
    socket.close()
    FakeWebSocket.last.lose()
    vi.advanceTimersByTime(60_000)
    expect(FakeWebSocket.all).toHaveLength(1)
    expect(connections).toEqual([])
  })
})

describe('a connection that is closed before it is open', () => {
  it('is closed as soon as it is, because browsers warn of it otherwise', () => {
    socket.close()
    expect(FakeWebSocket.last.readyState).toBe(FakeWebSocket.CONNECTING)
    FakeWebSocket.last.open()
    expect(FakeWebSocket.last.readyState).toBe(3)
    expect([received, connections]).toEqual([[], []])
  })
})

describe('a silent server', () => {
  it('is pinged, and given up if it does not answer', () => {
    FakeWebSocket.last.open()
    vi.advanceTimersByTime(25_000)
    expect(FakeWebSocket.last.sent).toMatchObject([{ type: 'ping' }])
    vi.advanceTimersByTime(6000)
    expect(connections).toEqual([true, false])
    vi.advanceTimersByTime(1000)
    expect(FakeWebSocket.all).toHaveLength(2)
    FakeWebSocket.last.open()
    expect(FakeWebSocket.last.sent).toEqual([]) // the ping is not repeated
  })

  it('is not given up if it answers', () => {
    FakeWebSocket.last.open()
    vi.advanceTimersByTime(25_000)
    FakeWebSocket.last.receive({ type: 'done', reply_to: FakeWebSocket.last.sent[0]!.id })
    vi.advanceTimersByTime(20_000)
    expect(connections).toEqual([true])
    expect(received).toHaveLength(2)
  })
})

it('ignores messages of a connection that it has given up', () => {
  const old = FakeWebSocket.last
  old.open()
  old.lose()
  old.receive({ type: 'presence' })
  expect(received).toHaveLength(1)
})
