/** Presentation of a scored round: first its points appear on the board, step by step, then its
 * score sheet opens; after the last round the result of the game follows. */

import type { ScoredRound } from '$/model/position'
import type { NarrationContext } from '$/text/narration'
import { scoringSteps, type ScoringStep } from '$/text/scoring-steps'
import { settings } from './settings.svelte'
import type { TableStore } from './table-store.svelte'

export class RoundScoring {
  #store: TableStore
  #context: () => NarrationContext
  #animatedRound = $state(0)
  #closedRound = $state(0)
  #step = $state.raw<ScoringStep | null>(null)
  resultClosed = $state(false)

  constructor(store: TableStore, context: () => NarrationContext) {
    this.#store = store
    this.#context = context
  }

  /** The scored round whose sheet is not closed yet. */
  scored = $derived.by((): ScoredRound | null => {
    const { scored } = this.#store
    return scored && scored.sheet.round > this.#closedRound ? scored : null
  })
  /** The scores before the round. */
  scoresBefore = $derived.by((): readonly number[] => {
    if (!this.scored) return []
    const round = this.scored.sheet.round - 1
    const sheet = this.#store.position!.sheets.find((other) => other.round === round)
    return sheet?.scores ?? this.#store.table!.seats.map(() => 0)
  })
  /** The steps of the animation while it runs. */
  steps = $derived.by((): ScoringStep[] | null =>
    this.scored && this.scored.sheet.round > this.#animatedRound && !settings.reducedMotion
      ? scoringSteps(this.#context(), this.scored, this.scoresBefore)
      : null
  )
  step = $derived(this.steps ? this.#step : null)
  /** The board as it stood when the round was scored, during the animation. */
  towers = $derived(this.step && this.scored ? this.scored.towers : null)
  /** The round whose score sheet is open. */
  openSheet = $derived(this.steps ? null : this.scored)

  showStep = (step: ScoringStep): void => void (this.#step = step)

  finishAnimation = (): void => {
    this.#animatedRound = this.scored?.sheet.round ?? this.#animatedRound
    this.#step = null
  }

  closeSheet = (): void => {
    this.#closedRound = this.scored?.sheet.round ?? this.#closedRound
  }
}
