/** The tutorial step about cards: the same card, read from another seat. */

import type { SiteView } from '$/board/board-types'
import { cardAt, positionNamed, siteIndex } from '$/model/notation'
import type { Side } from '$/protocol/types.gen'
import type { MoveSelection } from '$/state/move-selection.svelte'
import { describeSite } from '$/state/site-view-model'
import type { NarrationContext } from '$/text/narration'
import { LEARNER, type TutorialStore } from './tutorial-store.svelte'

export class CardReading {
  /** The seat from which the card is read at the moment. */
  seat = $state(LEARNER)
  /** The last seat of another player that the learner tried. */
  visited = $state<number | null>(null)

  constructor(
    readonly tutorial: TutorialStore,
    readonly selection: MoveSelection
  ) {}

  takeSeat = (player: number): void => {
    this.seat = player
    if (player !== LEARNER) this.visited = player
  }

  /** The side from which the card is read, if not from the learner's. */
  otherSide = $derived.by((): Side | null =>
    this.seat !== LEARNER && this.selection.card !== null ? this.#sideOf(this.seat) : null
  )

  get isSolved(): boolean {
    return this.visited !== null && this.selection.card !== null
  }

  #sideOf(player: number): Side {
    return this.tutorial.data!.players[player]!.side as Side
  }

  /** Mark a site as open if the card names it from the other side. */
  mark(view: SiteView): SiteView {
    if (!this.otherSide || cardAt(view.index, this.otherSide) !== this.selection.card) return view
    return { ...view, mark: 'open' }
  }

  describe(context: NarrationContext, view: SiteView, namedText: string): string {
    const text = describeSite(context, { ...view, mark: null }, null)
    return view.mark === 'open' ? `${text}. ${namedText}` : text
  }

  /** React to a press on a site: pick the card that names it. */
  pick(site: string, side: Side): void {
    const card = cardAt(siteIndex(site), side)
    const handIndex = this.tutorial.data?.private.hand.indexOf(card) ?? -1
    if (handIndex >= 0 && handIndex !== this.selection.handIndex && !this.otherSide)
      this.selection.pickCard(handIndex)
  }

  /** The player whose reading of the card the text compares. */
  get otherPlayer(): number {
    return this.visited ?? 1
  }

  /** Where the site that the card names for the other player is for the learner: 1 to 9. */
  otherPosition(side: Side): number | null {
    const { card } = this.selection
    if (card === null || !this.tutorial.data) return null
    return cardAt(positionNamed(card, this.#sideOf(this.otherPlayer)), side)
  }
}
