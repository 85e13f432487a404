/** The lesson about cards: the same card, read from another chair. */

import type { SiteLook } from '$/board/looks'
import { siteLabel } from '$/game/looks'
import type { Cast } from '$/game/cast'
import type { Choice } from '$/game/choice.svelte'
import { cardAt, siteIndex } from '$/game/words'
import type { Seat } from '$/protocol/told'
import { LEARNER, type Lesson } from './lesson.svelte'

export class Reading {
  /** In whose chair the learner sits for a moment. */
  chair = $state(LEARNER)
  /** Where he has sat last, apart from his own. */
  visited = $state<number | null>(null)

  constructor(
    readonly lesson: Lesson,
    readonly choice: Choice
  ) {}

  sit = (player: number): void => {
    this.chair = player
    if (player !== LEARNER) this.visited = player
  }

  /** The side from which the card is read, if not from one's own. */
  elsewhere = $derived.by((): Seat | null =>
    this.chair !== LEARNER && this.choice.card !== null ? this.#side(this.chair) : null
  )

  get understood(): boolean {
    return this.visited !== null && this.choice.card !== null
  }

  #side(player: number): Seat {
    return this.lesson.told!.players[player]!.side as Seat
  }

  /** A site as the card names it from there. */
  named(look: SiteLook): SiteLook {
    if (!this.elsewhere || cardAt(look.index, this.elsewhere) !== this.choice.card) return look
    return { ...look, mark: 'open' }
  }

  describe(cast: Cast, look: SiteLook, named: string): string {
    const said = siteLabel(cast, { ...look, mark: null }, null)
    return look.mark === 'open' ? `${said}. ${named}` : said
  }

  /** A site is pressed: the card that names it is taken up. */
  pick(site: string, side: Seat): void {
    const slot = this.lesson.told?.own.hand.indexOf(cardAt(siteIndex(site), side)) ?? -1
    if (slot >= 0 && slot !== this.choice.slot && !this.elsewhere) this.choice.pickCard(slot)
  }

  /** Whom the words speak of. */
  get other(): number {
    return this.visited ?? 1
  }

  /** Where the site that the card names for the other lies for the learner: 1 to 9. */
  seen(side: Seat): number | null {
    const { card } = this.choice
    const told = this.lesson.told
    if (card === null || !told) return null
    const other = this.#side(this.other)
    const site = Array.from({ length: 9 }, (_, n) => n).find((n) => cardAt(n, other) === card) ?? 0
    return cardAt(site, side)
  }
}
