/** The round that was just scored: its points are given on the board, then its sheet is shown; the
 * last one is followed by the end. */

import { settings } from '$/settings.svelte'
import type { Cast } from './cast'
import type { Live, Scored } from './live.svelte'
import { tally, type TallyStep } from './tally'

export class Scoring {
  #live: Live
  #cast: () => Cast
  /** Rounds whose points were given, and whose sheets were closed. */
  #given = $state(0)
  #closed = $state(0)
  #step = $state.raw<TallyStep | null>(null)
  endClosed = $state(false)

  constructor(live: Live, cast: () => Cast) {
    this.#live = live
    this.#cast = cast
  }

  scored = $derived.by((): Scored | null => {
    const scored = this.#live.scored
    return scored && scored.sheet.round > this.#closed ? scored : null
  })
  /** What everybody had before. */
  before = $derived.by((): readonly number[] => {
    if (!this.scored) return []
    const round = this.scored.sheet.round - 1
    const sheet = this.#live.position!.sheets.find((one) => one.round === round)
    return sheet?.scores ?? this.#live.table!.chairs.map(() => 0)
  })
  /** While points are given on the board. */
  steps = $derived.by((): TallyStep[] | null =>
    this.scored && this.scored.sheet.round > this.#given && !settings.still
      ? tally(this.#cast(), this.scored, this.before)
      : null
  )
  step = $derived(this.steps ? this.#step : null)
  /** The board as it stood when the points that are given were won. */
  towers = $derived(this.step && this.scored ? this.scored.towers : null)
  /** The sheet that lies on the table. */
  sheet = $derived(this.steps ? null : this.scored)

  show = (step: TallyStep): void => void (this.#step = step)

  given = (): void => {
    this.#given = this.scored?.sheet.round ?? this.#given
    this.#step = null
  }

  close = (): void => {
    this.#closed = this.scored?.sheet.round ?? this.#closed
  }
}
