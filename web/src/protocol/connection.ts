/** A table's websocket: it is made again by itself, and nothing is asked for twice. */

import type { Commands, Messages } from './told'

export type Wish = Commands extends infer One
  ? One extends Commands
    ? Omit<One, 'id'>
    : never
  : never

export interface Listener {
  heard(message: Messages): void
  /** Is there a connection? */
  connected(there: boolean): void
  /** The number of the next news that is needed; null for everything. */
  next(): number | null
  /** It makes no sense to come again. */
  ended(code: number): void
}

const FIRST_WAIT = 300
const LONGEST_WAIT = 8000
const QUIET = 25_000
/** Milliseconds without a word from the server; then we ask whether it is there. */
const PATIENCE = 6000

/** Why the server closes for good. */
const FOR_GOOD = new Set([4401, 4404])

export class Connection {
  #socket: WebSocket | null = null
  #wait = FIRST_WAIT
  #timer = 0
  #asking = 0
  #closed = false
  #count = 0
  #session = Math.random().toString(36).slice(2, 8)
  /** What was said and not answered: it is said again when the connection is back. */
  #unanswered = new Map<string, string>()

  constructor(
    readonly table: string,
    readonly listener: Listener
  ) {
    this.#connect()
    addEventListener('online', this.#now)
    addEventListener('offline', this.#cut)
    document.addEventListener('visibilitychange', this.#now)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#asking)
    removeEventListener('online', this.#now)
    removeEventListener('offline', this.#cut)
    document.removeEventListener('visibilitychange', this.#now)
    this.#socket?.close()
  }

  /** Say something; what comes back answers this name. */
  say(wish: Wish): string {
    const id = `${this.#session}-${++this.#count}`
    const text = JSON.stringify({ ...wish, id })
    this.#unanswered.set(id, text)
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text)
    return id
  }

  #now = (): void => {
    if (document.visibilityState === 'hidden' || this.#closed) return
    if (this.#socket?.readyState === WebSocket.OPEN) this.#ask()
    else if (this.#socket === null) {
      clearTimeout(this.#timer)
      this.#wait = FIRST_WAIT
      this.#connect()
    }
  }

  /** The browser knows that the line is dead; a socket would not find out for half a minute. */
  #cut = (): void => {
    const socket = this.#socket
    if (!socket) return
    socket.close()
    this.#lost(socket, 1006)
  }

  #connect(): void {
    const since = this.listener.next()
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const address = `${scheme}://${location.host}/api/tables/${this.table}/socket`
    const socket = new WebSocket(since === null ? address : `${address}?since=${since}`)
    this.#socket = socket
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return
      this.#rest()
      const message = JSON.parse(event.data as string) as Messages
      if (message.type === 'view' || message.type === 'resumed') this.#welcomed(socket)
      if ('answers' in message && message.answers) this.#unanswered.delete(message.answers)
      this.listener.heard(message)
    }
    socket.onclose = (event) => this.#lost(socket, event.code)
  }

  #lost(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return
    this.#socket = null
    clearTimeout(this.#asking)
    if (this.#closed) return
    this.listener.connected(false)
    if (FOR_GOOD.has(code)) {
      this.#closed = true
      this.listener.ended(code)
      return
    }
    this.#timer = window.setTimeout(() => this.#connect(), this.#wait * (0.75 + Math.random() / 2))
    this.#wait = Math.min(LONGEST_WAIT, this.#wait * 2)
  }

  #welcomed(socket: WebSocket): void {
    this.#wait = FIRST_WAIT
    this.listener.connected(true)
    for (const text of this.#unanswered.values()) socket.send(text)
  }

  /** The server was heard: leave it alone for a while. */
  #rest(): void {
    clearTimeout(this.#asking)
    this.#asking = window.setTimeout(() => this.#ask(), QUIET)
  }

  /** A connection may be dead without anybody having said so. */
  #ask(): void {
    clearTimeout(this.#asking)
    const socket = this.#socket
    if (!socket) return
    const id = this.say({ type: 'ping' })
    this.#asking = window.setTimeout(() => {
      this.#unanswered.delete(id)
      socket.close()
      this.#lost(socket, 1006) // a dead line does not even tell that it was closed
    }, PATIENCE)
  }
}
