/** A table as the server tells it, kept up to date. Nothing is shown here that the server has not
 * said. */

import { api } from '$/protocol/api'
import { Connection, type Listener, type Wish } from '$/protocol/connection'
import type {
  EventTold,
  LineTold,
  Messages,
  NewsMessage,
  OwnTold,
  PositionTold,
  PresenceTold,
  RefusalTold,
  ScoreTold,
  Seat,
  TableTold,
  ViewMessage
} from '$/protocol/told'
import { called } from './cast'
import { Story, type Line, type Towers } from './story'

export type Position = Required<PositionTold>

/** A round that was scored, with the board as it stood then. */
export interface Scored {
  sheet: ScoreTold
  towers: Towers
}

export class Live implements Listener {
  #table = $state.raw<TableTold | null>(null)
  /** The table, with its bots called in the page's language. */
  table = $derived(
    this.#table && {
      ...this.#table,
      chairs: this.#table.chairs.map((chair) => ({
        ...chair,
        name: called(chair.name, chair.who === 'bot')
      }))
    }
  )
  position = $state.raw<Position | null>(null)
  #own = $state.raw<OwnTold | null>(null)
  /** What we alone may know; nothing can be done where a bot plays for us. */
  own = $derived.by((): OwnTold | null => {
    const player = this.#own?.player ?? null
    const played = player !== null && this.#table?.chairs[player]?.played_for
    return this.#own && played ? { ...this.#own, moves: null } : this.#own
  })
  talk = $state.raw<LineTold[]>([])
  presence = $state.raw<PresenceTold | null>(null)
  lines = $state.raw<Line[]>([])
  towers = $state.raw<Towers>(new Map())
  there = $state(false)
  /** Was there ever a connection? */
  met = $state(false)
  gone = $state<number | null>(null)
  warming = $state(false)
  /** What was refused last. */
  refusal = $state.raw<RefusalTold | null>(null)
  /** Others were asked to let us take a move back, and it stands. */
  kept = $state(false)
  /** What somebody is about to say, and why he could not say it. */
  draft = $state('')
  unsaid = $state.raw<RefusalTold | null>(null)
  /** Why a move can't be made, as we asked last. */
  why = $state.raw<{ move: string; refusal: RefusalTold | null } | null>(null)
  /** Rounds that were scored while we were looking, the latest last. */
  scored = $state.raw<Scored | null>(null)
  /** The server's clock less ours. */
  ahead = 0
  /** Is something of ours on its way? */
  waiting = $state(false)

  #connection: Connection
  #number: number | null = null
  #story = new Story([])
  #asked = new Map<string, string>()
  #pending: string | null = null
  #saying: { id: string; text: string } | null = null

  constructor(readonly id: string) {
    this.#connection = new Connection(id, this)
  }

  close(): void {
    this.#connection.close()
  }

  /** Look again as somebody else: one has said one's name since, or taken a seat. */
  meet(): void {
    this.#connection.close()
    this.#pending = null
    this.waiting = false
    this.#unsay(null)
    this.#number = null
    this.#connection = new Connection(this.id, this)
  }

  get colours(): string[][] {
    return this.table?.chairs.map((chair) => chair.colours) ?? []
  }

  /** Through whose eyes we look. */
  get me(): number | null {
    return this.own?.player ?? null
  }

  get seated(): boolean {
    return this.table?.chairs.some((chair) => chair.you) ?? false
  }

  /** The side that is at the bottom of our screen. */
  get side(): Seat {
    const chairs = this.table?.chairs ?? []
    const mine = this.me === null ? chairs.find((chair) => chair.you) : chairs[this.me]
    return (mine?.side ?? 'south') as Seat
  }

  do(wish: Wish): void {
    this.refusal = null
    this.kept = false
    this.waiting = true
    this.#pending = this.#connection.say(wish)
  }

  play(move: string): void {
    if (this.position && !this.waiting) this.do({ type: 'play', ply: this.position.ply, move })
  }

  /** Say what is written down; if it is refused, it is there again. One thing after the other. */
  say(): void {
    const text = this.draft.trim()
    if (!text || this.#saying) return
    this.#saying = { id: this.#connection.say({ type: 'say', text }), text }
    this.draft = ''
    this.unsaid = null
  }

  /** What was said and not heard is there to be said again. */
  #unsay(why: RefusalTold | null): void {
    if (!this.#saying) return
    this.draft = [this.#saying.text, this.draft].filter(Boolean).join(' ')
    this.unsaid = why
    this.#saying = null
  }

  /** Ask why a move can't be made. */
  ask(move: string): void {
    this.#asked.set(this.#connection.say({ type: 'why', move }), move)
  }

  // What the connection says.

  next(): number | null {
    return this.#number
  }

  connected(there: boolean): void {
    this.there = there
    if (there) this.met = true
  }

  ended(code: number): void {
    this.gone = code
  }

  heard(message: Messages): void {
    if ('answers' in message && message.answers === this.#pending) {
      this.#pending = null
      this.waiting = false
    }
    const said = this.#saying
    if (said && 'answers' in message && message.answers === said.id) {
      if (message.type === 'refused') return this.#unsay(message)
      this.#saying = null
    }
    switch (message.type) {
      case 'view':
        return this.#see(message)
      case 'news':
        return this.#hear(message)
      case 'resumed':
        this.ahead = message.now - Date.now()
        this.presence = message.presence
        return
      case 'presence':
        this.presence = message
        return
      case 'why':
        this.why = { move: this.#asked.get(message.answers) ?? '', refusal: message.refusal }
        this.#asked.delete(message.answers)
        return
      case 'refused':
        this.refusal = message
        return
      case 'warming':
        this.warming = true
    }
  }

  #see(message: ViewMessage): void {
    this.#number = message.number
    this.ahead = message.now - Date.now()
    this.#table = message.table
    this.position = message.position as Position | null
    this.#own = message.own
    this.talk = message.talk
    this.presence = message.presence
    this.warming = false
    this.#retell(message.events)
  }

  #hear(message: NewsMessage): void {
    if (this.#number !== null && message.number < this.#number) return // known already
    this.#number = message.number + 1
    const asked = this.#table?.undo
    if (message.table) this.#table = message.table
    // Somebody said no, or nobody anything, or the game went on. (Who thinks better of it himself
    // knows.)
    if (asked && !this.#table?.undo && !message.what.yes && !message.answers)
      this.kept = this.#table?.chairs[asked.player]?.you ?? false
    if (message.what.type === 'said') this.#hearTalk(message)
    if (this.#story.note(message.what)) this.#told()
    if (!message.changes) return
    this.warming = false
    const back = (message.changes.ply ?? Infinity) < (this.position?.ply ?? 0)
    this.position = moved(this.position, message.changes)
    if ('own' in message) this.#own = message.own ?? null
    if (back) void this.#readAgain()
    for (const event of message.events ?? []) {
      const line = this.#story.tell(event)
      if (line.kind === 'scored') {
        this.scored = { sheet: line.sheet, towers: new Map(this.#story.towers) }
      }
    }
    this.#told()
  }

  #hearTalk({ number, at, what }: NewsMessage): void {
    const { name, chair, text } = what as { name: string; chair: number | null; text: string }
    this.talk = [...this.talk.slice(-99), { number, at, name, chair: chair ?? null, text }]
  }

  #retell(events: EventTold[]): void {
    this.#story = new Story(this.colours, events, this.#story.lines)
    this.#told()
  }

  #told(): void {
    this.lines = [...this.#story.lines]
    this.towers = new Map(this.#story.towers)
  }

  /** Something was taken back: what has happened is told anew. */
  async #readAgain(): Promise<void> {
    this.scored = null
    try {
      const view = await api.look(this.id)
      if (view.number === this.#number) this.#retell(view.events)
    } catch {
      // the next view will tell
    }
  }
}

/** The position after news: what has changed is put in its place. */
export function moved(before: Position | null, changes: PositionTold): Position {
  const towers = { ...before?.towers, ...changes.towers }
  for (const [site, tower] of Object.entries(towers)) if (!tower) delete towers[site]
  return { ...before, ...changes, towers } as Position
}
