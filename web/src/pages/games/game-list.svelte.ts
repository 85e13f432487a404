/** The visitor's games, page by page, and kept up to date: the server says which game has changed. */

import { ApiError, api, type GameFilter, type PlayersFilter } from '$/protocol/http'
import { ServerSocket, type SocketListener } from '$/protocol/socket'
import type { GameCounts, Message, MyGame, MyGameEntry, MyGameList } from '$/protocol/types.gen'
import { insertGame, mergeFirstPage } from './game-order'
import { tickingClock } from '$/state/ticking-clock.svelte'

/** After a change, further changes are collected for this time; in a hidden tab for longer. */
const COLLECT_MS = 400
const COLLECT_HIDDEN_MS = 5000
/** More changed games than this are not asked for one by one. */
const MAX_SINGLE = 5

export class GameList implements SocketListener {
  games = $state.raw<MyGame[]>([])
  counts = $state.raw<GameCounts | null>(null)
  /** The cursor of the next page; null after the last one. */
  next = $state<string | null>(null)
  filter = $state<GameFilter | 'removed'>('all')
  playersFilter = $state.raw<PlayersFilter>({ players: null, opponents: null })
  failure = $state.raw<unknown>(null)
  loading = $state(false)
  connected = $state(false)
  #clockOffset = $state(0)
  #clock = tickingClock(30_000)

  #socket: ServerSocket | null = null
  #changed = new Set<string | null>()
  #timer = 0
  /** The latest request for the first page: the answers to earlier ones are dropped. */
  #request = 0
  /** How often a filter was selected: a page of another filter is dropped. */
  #selection = 0
  #onChange: () => void

  /** `onChange` is called after a game has changed. */
  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange
  }

  /** The server's time, which the deadlines are compared with. */
  get now(): number {
    return this.#clock() + this.#clockOffset
  }

  connect(): void {
    this.#socket = new ServerSocket('/me/socket', this)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#socket?.close()
  }

  /** Are only games of some players listed? */
  get isFiltered(): boolean {
    return this.playersFilter.players !== null || this.playersFilter.opponents !== null
  }

  async select(
    filter: GameFilter | 'removed',
    playersFilter: PlayersFilter = this.playersFilter
  ): Promise<void> {
    this.#selection += 1
    this.filter = filter
    this.playersFilter = playersFilter
    this.games = []
    this.next = null
    await this.load()
  }

  /** Load the first page; later pages stay. */
  async load(): Promise<void> {
    const request = ++this.#request
    this.loading = true
    try {
      const page = await this.#fetch(null)
      if (request !== this.#request) return
      this.#clockOffset = page.now - Date.now()
      const merged = mergeFirstPage(page, this.games, this.next)
      this.games = merged.games
      this.next = merged.next
      this.counts = page.counts
      this.failure = null
    } catch (error) {
      if (request === this.#request) this.failure = error
    } finally {
      if (request === this.#request) this.loading = false
    }
  }

  async loadMore(): Promise<void> {
    const selection = this.#selection
    this.loading = true
    try {
      const page = await this.#fetch(this.next)
      if (selection !== this.#selection) return
      const known = new Set(this.games.map((game) => game.id))
      this.games = [...this.games, ...page.games.filter((game) => !known.has(game.id))]
      this.next = page.next
      this.counts = page.counts
      this.failure = null
    } catch (error) {
      this.failure = error
    } finally {
      this.loading = false
    }
  }

  async remove(game: MyGame): Promise<void> {
    await this.#apply(await api.removeGame(game.id))
  }

  async restore(game: MyGame): Promise<void> {
    await this.#apply(await api.restoreGame(game.id))
  }

  // The websocket.

  onMessage(message: Message): void {
    if (message.type === 'subscribed') void this.load() // games may have changed before
    if (message.type !== 'game_changed') return
    this.#changed.add(message.table)
    const wait = document.visibilityState === 'hidden' ? COLLECT_HIDDEN_MS : COLLECT_MS
    if (!this.#timer) this.#timer = window.setTimeout(() => void this.#refresh(), wait)
  }

  onConnectionChange(connected: boolean): void {
    this.connected = connected
  }

  nextUpdateNumber(): null {
    return null
  }

  onClosed(): void {
    this.connected = false
  }

  async #refresh(): Promise<void> {
    const changed = [...this.#changed]
    this.#changed.clear()
    this.#timer = 0
    if (changed.length > MAX_SINGLE || changed.includes(null)) await this.load()
    else await Promise.all(changed.map((table) => this.#refreshGame(table!)))
    this.#onChange()
  }

  async #refreshGame(table: string): Promise<void> {
    try {
      await this.#apply(await api.myGame(table))
    } catch (error) {
      // The visitor has left the table, or it was closed.
      if (error instanceof ApiError && error.problem.reason === 'not_at_the_table')
        await this.load()
    }
  }

  #fetch(cursor: string | null): Promise<MyGameList> {
    return api.myGames(this.filter, this.playersFilter, cursor)
  }

  async #apply({ game, counts }: MyGameEntry): Promise<void> {
    if (this.isFiltered) {
      // The server knows which games belong to the list, and counts them.
      this.games = this.games.filter(({ id }) => id !== game.id)
      return this.load()
    }
    const { filter } = this
    const belongs =
      filter === 'removed'
        ? game.removed
        : !game.removed && (filter === 'all' || filter === game.state)
    this.games = insertGame(this.games, game, { belongs, isLastPage: this.next === null })
    this.counts = counts
  }
}
