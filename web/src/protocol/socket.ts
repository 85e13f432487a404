/** WebSocket client: it reconnects with exponential backoff and resends commands that
 * the server has not answered. A command keeps its id (its idempotency key), so a resent command is
 * executed once. */

import type { Command, Message } from './types.gen'

/** A command without its id, which the socket assigns. */
export type CommandInput = WithoutId<Command>
type WithoutId<Union> = Union extends Command ? Omit<Union, 'id'> : never

export interface SocketListener {
  onMessage(message: Message): void
  onConnectionChange(connected: boolean): void
  /** The number of the next update that is needed; null asks for a whole view. */
  nextUpdateNumber(): number | null
  /** The server closed the connection for good: the socket does not reconnect. */
  onClosed(code: number): void
}

const FIRST_RETRY_MS = 300
const MAX_RETRY_MS = 8000
/** After this silence the socket pings the server. */
const PING_AFTER_MS = 25_000
/** A ping without an answer for this long means that the connection is dead. */
const PING_TIMEOUT_MS = 6000

/** Close codes after which connecting again makes no sense. */
export const UNAUTHENTICATED = 4401
export const BANNED = 4403
export const NO_SUCH_TABLE = 4404
const PERMANENT_CLOSE_CODES = new Set([UNAUTHENTICATED, BANNED, NO_SUCH_TABLE])
const CONNECTION_LOST = 1006
/** The first message of a connection. */
const READY = new Set<Message['type']>(['view', 'resumed', 'subscribed'])

export class ServerSocket {
  #socket: WebSocket | null = null
  #retryMs = FIRST_RETRY_MS
  #retryTimer = 0
  #pingTimer = 0
  #closed = false
  #commandCount = 0
  #session = Math.random().toString(36).slice(2, 8)
  /** Commands without an answer, as sent: they are sent again after a reconnect. */
  #unanswered = new Map<string, string>()

  constructor(
    /** Such as `/tables/…/socket`. */
    readonly path: string,
    readonly listener: SocketListener
  ) {
    this.#connect()
    addEventListener('online', this.#wake)
    addEventListener('offline', this.#drop)
    document.addEventListener('visibilitychange', this.#wake)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#pingTimer)
    removeEventListener('online', this.#wake)
    removeEventListener('offline', this.#drop)
    document.removeEventListener('visibilitychange', this.#wake)
    const socket = this.#socket
    this.#socket = null
    // A browser warns of a connection that is closed before it is open.
    if (socket?.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close()
    else socket?.close()
  }

  /** Send a command and return its id, which the answer repeats. */
  send(command: CommandInput): string {
    const id = `${this.#session}-${++this.#commandCount}`
    const text = JSON.stringify({ ...command, id })
    this.#unanswered.set(id, text)
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text)
    return id
  }

  /** Check an open connection, or reconnect at once, when the page or the network is back. */
  #wake = (): void => {
    if (document.visibilityState === 'hidden' || this.#closed) return
    if (this.#socket?.readyState === WebSocket.OPEN) this.#ping()
    else if (this.#socket === null) {
      clearTimeout(this.#retryTimer)
      this.#retryMs = FIRST_RETRY_MS
      this.#connect()
    }
  }

  /** The browser reports that it is offline; a socket would not notice for half a minute. */
  #drop = (): void => {
    const socket = this.#socket
    if (!socket) return
    socket.close()
    this.#onLost(socket, CONNECTION_LOST)
  }

  #connect(): void {
    const since = this.listener.nextUpdateNumber()
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const address = `${scheme}://${location.host}/api${this.path}`
    const socket = new WebSocket(since === null ? address : `${address}?since=${since}`)
    this.#socket = socket
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return
      this.#schedulePing()
      const message = JSON.parse(event.data as string) as Message
      if (READY.has(message.type)) this.#onReady(socket)
      if ('reply_to' in message && message.reply_to) this.#unanswered.delete(message.reply_to)
      this.listener.onMessage(message)
    }
    socket.onclose = (event) => this.#onLost(socket, event.code)
  }

  #onLost(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return
    this.#socket = null
    clearTimeout(this.#pingTimer)
    if (this.#closed) return
    this.listener.onConnectionChange(false)
    if (PERMANENT_CLOSE_CODES.has(code)) {
      this.#closed = true
      this.listener.onClosed(code)
      return
    }
    const jitter = 0.75 + Math.random() / 2
    this.#retryTimer = window.setTimeout(() => this.#connect(), this.#retryMs * jitter)
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2)
  }

  #onReady(socket: WebSocket): void {
    this.#retryMs = FIRST_RETRY_MS
    this.listener.onConnectionChange(true)
    for (const text of this.#unanswered.values()) socket.send(text)
  }

  #schedulePing(): void {
    clearTimeout(this.#pingTimer)
    this.#pingTimer = window.setTimeout(() => this.#ping(), PING_AFTER_MS)
  }

  #ping(): void {
    clearTimeout(this.#pingTimer)
    const socket = this.#socket
    if (!socket) return
    const id = this.send({ type: 'ping' })
    this.#pingTimer = window.setTimeout(() => {
      this.#unanswered.delete(id)
      socket.close()
      this.#onLost(socket, CONNECTION_LOST) // a dead connection does not report its close event
    }, PING_TIMEOUT_MS)
  }
}

/** The websocket of a table. */
export class TableSocket extends ServerSocket {
  constructor(table: string, listener: SocketListener) {
    super(`/tables/${table}/socket`, listener)
  }
}
