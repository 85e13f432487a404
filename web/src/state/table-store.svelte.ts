/** Store of one table: the server's view, kept up to date by its updates.
 *
 * The store holds nothing that the server has not sent; it applies updates and knows no rule. */

import { EventLog, parseTowers, type LogEntry } from '$/model/event-log'
import { applyPatch, type ScoredRound } from '$/model/position'
import { api } from '$/protocol/http'
import { TableSocket, type CommandInput, type SocketListener } from '$/protocol/socket'
import type {
  GameEvent,
  ChatLine,
  Message,
  Position,
  UpdateMessage,
  PrivateState,
  PresenceMessage,
  Problem,
  Side,
  TableInfo,
  ViewMessage
} from '$/protocol/types.gen'
import { displayNames } from '$/text/narration'
import { takePart } from './fair-deal'

const MAX_CHAT_LINES = 100
const LOG_RELOADS = 5

export class TableStore implements SocketListener {
  #table = $state.raw<TableInfo | null>(null)
  /** The table, with the names of its bots in the page's language. */
  table = $derived.by((): TableInfo | null => {
    if (!this.#table) return null
    const names = displayNames(this.#table.seats)
    const seats = this.#table.seats.map((seat, n) => ({ ...seat, name: names[n]! }))
    return { ...this.#table, seats }
  })
  position = $state.raw<Position | null>(null)
  #privateState = $state.raw<PrivateState | null>(null)
  /** The viewer's hand and legal moves; no moves while a bot controls the viewer's seat. */
  privateState = $derived.by((): PrivateState | null => {
    const player = this.#privateState?.player ?? null
    const botControlled = player !== null && this.#table?.seats[player]?.bot_controlled
    return this.#privateState && botControlled
      ? { ...this.#privateState, moves: null }
      : this.#privateState
  })
  chat = $state.raw<ChatLine[]>([])
  presence = $state.raw<PresenceMessage | null>(null)
  logEntries = $state.raw<LogEntry[]>([])
  /** The board. The log is only text: after an undo it comes later than the position. */
  towers = $derived.by(() => parseTowers(this.position?.towers ?? {}))
  connected = $state(false)
  everConnected = $state(false)
  /** The code with which the server closed the connection for good. */
  closedCode = $state<number | null>(null)
  botPreparing = $state(false)
  /** Why the server rejected the last command. */
  error = $state.raw<Problem | null>(null)
  /** Another player declined our undo request, or the game went on. */
  undoDeclined = $state(false)
  chatDraft = $state('')
  /** Why the server rejected the last chat message. */
  chatError = $state.raw<Problem | null>(null)
  /** The answer to the last `explain` of this turn: why a move is illegal; null if it is legal. */
  explanation = $state.raw<{ move: string; error: Problem | null } | null>(null)
  /** The last round that was scored while the viewer was connected. */
  scored = $state.raw<ScoredRound | null>(null)
  /** The server's clock minus ours, in milliseconds. */
  clockOffset = 0
  /** Is a command of ours on its way? */
  waiting = $state(false)

  #socket: TableSocket
  #nextNumber: number | null = null
  #eventLog = new EventLog([])
  #explainedMoves = new Map<string, string>()
  #pendingCommand: string | null = null
  #pendingChat: { id: string; text: string } | null = null

  constructor(readonly id: string) {
    this.#socket = new TableSocket(id, this)
  }

  close(): void {
    this.#socket.close()
  }

  /** Connect again, because the viewer's identity or seat has changed. */
  reconnect(): void {
    this.#socket.close()
    this.#pendingCommand = null
    this.waiting = false
    this.#restoreDraft(null)
    this.#nextNumber = null
    this.#socket = new TableSocket(this.id, this)
  }

  get colours(): string[][] {
    return this.table?.seats.map((seat) => seat.colours) ?? []
  }

  /** The player whose private view this is. */
  get me(): number | null {
    return this.privateState?.player ?? null
  }

  get isSeated(): boolean {
    return this.table?.seats.some((seat) => seat.you) ?? false
  }

  /** The side of the board at the bottom of the screen. */
  get side(): Side {
    const seats = this.table?.seats ?? []
    const mine = this.me === null ? seats.find((seat) => seat.you) : seats[this.me]
    return (mine?.side ?? 'south') as Side
  }

  send(command: CommandInput): void {
    this.error = null
    this.undoDeclined = false
    this.waiting = true
    this.#pendingCommand = this.#socket.send(command)
  }

  play(move: string): void {
    if (this.position && !this.waiting) this.send({ type: 'play', ply: this.position.ply, move })
  }

  /** Send the chat draft. One message at a time: a rejected message returns to the draft. */
  sendChat(): void {
    const text = this.chatDraft.trim()
    if (!text || this.#pendingChat) return
    this.#pendingChat = { id: this.#socket.send({ type: 'chat', text }), text }
    this.chatDraft = ''
    this.chatError = null
  }

  #restoreDraft(error: Problem | null): void {
    if (!this.#pendingChat) return
    this.chatDraft = [this.#pendingChat.text, this.chatDraft].filter(Boolean).join(' ')
    this.chatError = error
    this.#pendingChat = null
  }

  /** Ask the server why a move is illegal. */
  explain(move: string): void {
    this.#explainedMoves.set(this.#socket.send({ type: 'why', move }), move)
  }

  /** Why nothing can be built at a site, if the server has explained it in this turn. */
  explanationAt(site: string): Problem | null {
    return this.explanation?.move.startsWith(site) ? this.explanation.error : null
  }

  nextUpdateNumber(): number | null {
    return this.#nextNumber
  }

  onConnectionChange(connected: boolean): void {
    this.connected = connected
    if (connected) this.everConnected = true
  }

  onClosed(code: number): void {
    this.closedCode = code
  }

  onMessage(message: Message): void {
    if ('reply_to' in message && message.reply_to === this.#pendingCommand) {
      this.#pendingCommand = null
      this.waiting = false
    }
    if ('reply_to' in message && this.#pendingChat && message.reply_to === this.#pendingChat.id) {
      if (message.type === 'error') return this.#restoreDraft(message)
      this.#pendingChat = null
    }
    switch (message.type) {
      case 'view':
        return this.#applyView(message)
      case 'update':
        return this.#applyUpdate(message)
      case 'resumed':
        this.clockOffset = message.now - Date.now()
        this.presence = message.presence
        return
      case 'presence':
        this.presence = message
        return
      case 'why':
        this.explanation = {
          move: this.#explainedMoves.get(message.reply_to) ?? '',
          error: message.problem
        }
        this.#explainedMoves.delete(message.reply_to)
        return
      case 'error':
        this.error = message
        return
      case 'bot_preparing':
        this.botPreparing = true
    }
  }

  #applyView(message: ViewMessage): void {
    this.#nextNumber = message.number
    this.clockOffset = message.now - Date.now()
    this.#table = message.table
    this.position = message.position
    this.#privateState = message.private
    this.explanation = null
    this.chat = message.chat
    this.presence = message.presence
    this.botPreparing = false
    this.#rebuildLog(message.game_events)
    void takePart(message.table)
  }

  #applyUpdate(message: UpdateMessage): void {
    if (this.#nextNumber !== null && message.number < this.#nextNumber) return // a duplicate
    this.#nextNumber = message.number + 1
    const request = this.#table?.undo
    if (message.table) {
      this.#table = message.table
      void takePart(message.table)
    }
    const { event, patch } = message
    const isAccepted = event.type === 'undo_answered' && event.accepted
    // The request is gone without consent, and not because its author withdrew it.
    if (request && !this.#table?.undo && !isAccepted && !message.reply_to)
      this.undoDeclined = this.#table?.seats[request.player]?.you ?? false
    if (event.type === 'chat_sent') {
      const { name, seat, text } = event
      const line = { number: message.number, at: message.at, name, seat, text }
      this.chat = [...this.chat, line].slice(-MAX_CHAT_LINES)
    }
    if (this.#eventLog.addSeatEvent(event)) this.#publishLog()
    if (message.private) this.#privateState = message.private
    if (!patch) return
    this.botPreparing = false
    this.explanation = null
    const isUndo = (patch.ply ?? Infinity) < (this.position?.ply ?? 0)
    this.position = applyPatch(this.position, patch)
    if (isUndo) void this.#reloadLog()
    for (const gameEvent of message.game_events ?? []) {
      const entry = this.#eventLog.add(gameEvent)
      if (entry.kind === 'scored') this.scored = { sheet: entry.sheet, towers: this.towers }
    }
    this.#publishLog()
  }

  #rebuildLog(events: GameEvent[]): void {
    this.#eventLog = new EventLog(this.colours, events, this.#eventLog.entries)
    this.#publishLog()
  }

  #publishLog(): void {
    this.logEntries = [...this.#eventLog.entries]
  }

  /** A move was undone: fetch the events that are left. If an update came in between, the answer
   * does not fit any more, and is fetched again. */
  async #reloadLog(): Promise<void> {
    this.scored = null
    try {
      for (let attempt = 0; attempt < LOG_RELOADS; attempt++) {
        const view = await api.view(this.id)
        if (view.number === this.#nextNumber) return this.#rebuildLog(view.game_events)
      }
    } catch {
      // The next view repairs the log.
    }
  }
}
