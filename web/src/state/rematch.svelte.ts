/** A rematch: proposing one after the game, and declining the one that was proposed. */

import { api } from '$/protocol/http'
import { openRematch } from './fair-deal'
import { router } from './router.svelte'
import type { TableStore } from './table-store.svelte'

export class Rematch {
  #store: TableStore
  #onError: (error: unknown) => void
  #declinedTable = $state<string | null>(null)

  constructor(store: TableStore, onError: (error: unknown) => void) {
    this.#store = store
    this.#onError = onError
  }

  /** The table of the rematch, if somebody has proposed one. */
  get table(): string | null {
    return this.#store.table?.rematch ?? null
  }

  /** Propose a rematch, or go to the one that was proposed; null for spectators. */
  get propose(): (() => Promise<void>) | null {
    return this.#store.isSeated ? this.#propose : null
  }

  /** Decline the rematch; null if there is nothing to decline. */
  get decline(): (() => Promise<void>) | null {
    return this.table && this.#store.isSeated && this.#declinedTable !== this.table
      ? this.#decline
      : null
  }

  #propose = async (): Promise<void> => {
    try {
      const seats = this.#store.table!.seats.filter((seat) => seat.you).length
      router.navigate(`/table/${await openRematch(this.#store.id, seats)}`)
    } catch (error) {
      this.#onError(error)
    }
  }

  #decline = async (): Promise<void> => {
    const table = this.table!
    this.#declinedTable = table
    try {
      await api.declineOffer(table)
    } catch (error) {
      this.#onError(error)
    }
  }
}
