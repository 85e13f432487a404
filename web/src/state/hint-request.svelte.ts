/** A hint: asked from the server, shown as the picked move, and explained until the player picks
 * something else. */

import { parseMove, type Size } from '$/model/notation'
import { api } from '$/protocol/http'
import type { HintResponse } from '$/protocol/types.gen'
import type { MoveSelection } from './move-selection.svelte'

export class HintRequest {
  loading = $state(false)
  #hint = $state.raw<HintResponse | null>(null)
  #table: string
  #selection: MoveSelection
  #onError: (error: unknown) => void

  constructor(table: string, selection: MoveSelection, onError: (error: unknown) => void) {
    this.#table = table
    this.#selection = selection
    this.#onError = onError
  }

  /** The hint to explain: that of a placement only while it is picked. */
  shown = $derived.by((): HintResponse | null => {
    const hint = this.#hint
    if (!hint || parseMove(hint.move).kind !== 'build') return hint
    return this.#selection.placement?.move === hint.move ? hint : null
  })

  clear = (): void => void (this.#hint = null)

  /** Ask for a hint and pick its placement. */
  show = async (): Promise<void> => {
    this.loading = true
    try {
      const hint = await api.hint(this.#table)
      const selection = this.#selection
      if (parseMove(hint.move).kind === 'build') {
        selection.clear()
        const placement = selection.candidates().find(({ move }) => move === hint.move)
        if (!placement) return
        selection.pickBlock({ colour: placement.colour, size: placement.size })
        selection.pickSite(placement.site)
      }
      this.#hint = hint
    } catch (error) {
      this.#onError(error)
    } finally {
      this.loading = false
    }
  }

  /** Ask for blocks to select. */
  suggestBlocks = async (): Promise<Size[][] | null> => {
    try {
      const hint = await api.hint(this.#table)
      const move = parseMove(hint.move)
      if (move.kind !== 'select') return null
      this.#hint = hint
      return move.blocks
    } catch (error) {
      this.#onError(error)
      return null
    }
  }
}
