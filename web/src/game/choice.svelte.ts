/** What somebody picks for his turn: card, block and site, in any order. Which of them go together
 * is what the server has told; no rule is known here. */

import type { BuildMoves, Colour, OwnTold, Seat } from '$/protocol/told'
import { cardAt, colourOf, readMove, siteIndex, type Size } from './words'

export interface Placement {
  move: string
  site: string
  card: number
  colour: Colour
  size: Size
  from: Colour | null
  gains: number[]
}

export interface Picked {
  colour: Colour
  size: Size
}

export function placementsOf(moves: BuildMoves, own: readonly string[]): Placement[] {
  return moves.places.flatMap((place) =>
    place.moves.map((text, n): Placement => {
      const move = readMove(text)
      if (move.kind !== 'build') throw new Error(`${text} is no placement`)
      return {
        move: text,
        site: place.site,
        card: place.card,
        colour: colourOf(move.letter, own),
        size: move.size,
        from: place.takes_from as Colour | null,
        gains: place.gains[n] as number[]
      }
    })
  )
}

export class Choice {
  /** The place of the card in the hand: there may be two of a kind. */
  slot = $state<number | null>(null)
  block = $state.raw<Picked | null>(null)
  site = $state<string | null>(null)
  /** Where the pointer or the focus is. */
  hover = $state<string | null>(null)

  #own = $state.raw<OwnTold | null>(null)
  #colours = $state.raw<readonly string[]>([])
  #seat = $state<Seat>('south')
  #placements = $derived.by(() => {
    const moves = this.#own?.moves
    return moves?.kind === 'build' ? placementsOf(moves, this.#colours) : []
  })

  /** A new turn, or none: what was picked for the old one is put back. */
  begin(own: OwnTold | null, colours: readonly string[], seat: Seat): void {
    this.#own = own
    this.#colours = colours
    this.#seat = seat
    this.clear()
  }

  clear(): void {
    this.slot = null
    this.block = null
    this.site = null
  }

  get active(): boolean {
    return this.#placements.length > 0
  }

  /** Does the card that is picked name this site? */
  named(index: number): boolean {
    return cardAt(index, this.#seat) === this.card
  }

  get card(): number | null {
    return this.slot === null ? null : (this.#own?.hand[this.slot] ?? null)
  }

  /** What is possible with what is picked; `but` leaves one of the three open. */
  possible(but: 'card' | 'block' | 'site' | null = null): Placement[] {
    return this.#placements.filter(
      (one) =>
        (but === 'card' || this.card === null || one.card === this.card) &&
        (but === 'block' || !this.block || same(one, this.block)) &&
        (but === 'site' || this.site === null || one.site === this.site)
    )
  }

  /** The sites that can be picked now. */
  open = $derived.by(() => new Set(this.possible('site').map((one) => one.site)))
  cards = $derived.by(() => new Set(this.possible('card').map((one) => one.card)))
  blocks = $derived.by(
    () => new Set(this.possible('block').map((one) => `${one.colour}${one.size}`))
  )

  /** The one placement that is picked, when nothing is open any more. */
  chosen = $derived.by((): Placement | null => {
    const left = this.possible()
    return this.site !== null && this.block && left.length > 0 ? left[0]! : null
  })

  /** What would be built at a site with the block that is picked. */
  at(site: string): Placement | null {
    const here = this.possible('site').filter((one) => one.site === site)
    if (this.block) return here[0] ?? null
    const sizes = new Set(here.map((one) => `${one.colour}${one.size}`))
    return sizes.size === 1 ? here[0]! : null
  }

  pickCard(slot: number): void {
    this.slot = this.slot === slot ? null : slot
    if (this.slot === null) return
    if (this.site && cardAt(siteIndex(this.site), this.#seat) !== this.card) this.site = null
    if (!this.possible().length) this.block = null
    this.#only()
  }

  pickBlock(block: Picked): void {
    this.block = this.block && same(block, this.block) ? null : block
    if (this.block && !this.possible().length) this.site = null
    if (this.block && !this.possible().length) this.slot = null
  }

  /** A site is pressed: build there, say why not, or nothing for now. `ask` is whether one wants to
   * be asked before a block is built. */
  press(site: string, ask: boolean): 'build' | 'barred' | null {
    if (!this.active) return null
    if (this.site === site && this.chosen) return 'build'
    if (!this.open.has(site)) return 'barred'
    return this.pickSite(site) && !ask ? 'build' : null
  }

  /** Is it settled by this? */
  pickSite(site: string): Placement | null {
    if (!this.open.has(site)) return null
    this.site = site
    const card = cardAt(siteIndex(site), this.#seat)
    if (this.card !== card) this.slot = this.#own?.hand.indexOf(card) ?? null
    this.#only()
    return this.chosen
  }

  /** Where one block alone is possible, nobody has to pick it. */
  #only(): void {
    const kinds = new Map(this.possible('block').map((one) => [`${one.colour}${one.size}`, one]))
    if (this.site !== null && !this.block && kinds.size === 1) {
      const [{ colour, size }] = [...kinds.values()] as [Placement]
      this.block = { colour, size }
    }
  }
}

const same = (one: Picked, other: Picked): boolean =>
  one.colour === other.colour && one.size === other.size
