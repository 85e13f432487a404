/** The move that a player assembles: card, block and site, picked in any order.
 *
 * Which of them go together follows from the legal moves that the server has sent; no rule of the
 * game is known here. */

import { cardAt, colourOf, letterOf, siteIndex, type Size } from '$/model/notation'
import type { BuildMoves, Colour, PlayerState, Side } from '$/protocol/types.gen'

/** A legal way to build. */
export interface Placement {
  move: string
  site: string
  card: number
  colour: Colour
  size: Size
  /** The colour that loses the tower. */
  takesFrom: Colour | null
  /** The points that each player would gain if the round ended after this move. */
  gains: number[]
}

export interface SelectedBlock {
  colour: Colour
  size: Size
}

export function toPlacements(
  moves: BuildMoves,
  colours: readonly string[],
  side: Side
): Placement[] {
  return moves.placements.flatMap(({ sites, blocks, takes_from, gains }) =>
    sites.flatMap((site) =>
      blocks.map((block, n): Placement => ({
        move: `${site}+${block}`,
        site,
        card: cardAt(siteIndex(site), side),
        colour: colourOf(block[1] ?? null, colours),
        size: Number(block[0]) as Size,
        takesFrom: takes_from as Colour | null,
        gains: gains[n] as number[]
      }))
    )
  )
}

export class MoveSelection {
  /** The index of the picked card in the hand, which may hold two cards of a kind. */
  handIndex = $state<number | null>(null)
  block = $state.raw<SelectedBlock | null>(null)
  site = $state<string | null>(null)
  /** The site under the pointer or with the focus. */
  hover = $state<string | null>(null)

  #hand = $state.raw<readonly number[]>([])
  #side = $state<Side>('south')
  #placements = $state.raw<Placement[]>([])

  /** Start a new turn, or none, with nothing picked. */
  reset(playerState: PlayerState | null, colours: readonly string[], side: Side): void {
    const moves = playerState?.moves
    this.#hand = playerState?.hand ?? []
    this.#side = side
    this.#placements = moves?.kind === 'build' ? toPlacements(moves, colours, side) : []
    this.clear()
  }

  clear(): void {
    this.handIndex = null
    this.block = null
    this.site = null
  }

  get isActive(): boolean {
    return this.#placements.length > 0
  }

  get card(): number | null {
    return this.handIndex === null ? null : (this.#hand[this.handIndex] ?? null)
  }

  /** Does the picked card name the site with this index? */
  isNamedByCard(index: number): boolean {
    return cardAt(index, this.#side) === this.card
  }

  /** The placements that agree with what is picked, leaving one of the three out of account. */
  candidates(ignoring: 'card' | 'block' | 'site' | null = null): Placement[] {
    return this.#placements.filter(
      (placement) =>
        (ignoring === 'card' || this.card === null || placement.card === this.card) &&
        (ignoring === 'block' || !this.block || isSameBlock(placement, this.block)) &&
        (ignoring === 'site' || this.site === null || placement.site === this.site)
    )
  }

  openSites = $derived.by(() => new Set(this.candidates('site').map(({ site }) => site)))
  playableCards = $derived.by(() => new Set(this.candidates('card').map(({ card }) => card)))
  playableBlocks = $derived.by(() => new Set(this.candidates('block').map(blockKey)))

  /** The placement that is picked, when site and block are. */
  placement = $derived.by((): Placement | null =>
    this.site !== null && this.block ? (this.candidates()[0] ?? null) : null
  )

  /** What would be built at a site: with the picked block, or with the only block that fits. */
  placementAt(site: string): Placement | null {
    const here = this.candidates('site').filter((placement) => placement.site === site)
    return this.block || new Set(here.map(blockKey)).size === 1 ? (here[0] ?? null) : null
  }

  /** Pick a card, or put the picked one back. What no longer goes with it is unpicked. */
  pickCard(handIndex: number): void {
    this.handIndex = this.handIndex === handIndex ? null : handIndex
    if (this.handIndex === null) return
    if (this.site && !this.isNamedByCard(siteIndex(this.site))) this.site = null
    if (!this.candidates().length) this.block = null
    this.#pickOnlyBlock()
  }

  /** Pick a block, or put the picked one back. */
  pickBlock(block: SelectedBlock): void {
    this.block = this.block && isSameBlock(block, this.block) ? null : block
    if (this.block && !this.candidates().length) this.site = null
    if (this.block && !this.candidates().length) this.handIndex = null
  }

  /** Pick a site and the card that names it; return the placement if that completes the move. */
  pickSite(site: string): Placement | null {
    if (!this.openSites.has(site)) return null
    this.site = site
    const card = cardAt(siteIndex(site), this.#side)
    if (this.card !== card) this.handIndex = this.#hand.indexOf(card)
    this.#pickOnlyBlock()
    return this.placement
  }

  /** The move to ask the server about when nothing can be built at a site: with the picked block, or
   * with the largest one on the tableau. */
  moveToExplain(
    site: string,
    colours: readonly string[],
    tableaus: Readonly<Record<string, readonly number[]>>
  ): string {
    const colour = this.block?.colour ?? colours[0]!
    const largest = (tableaus[colour] ?? []).findLastIndex((count) => count > 0) + 1
    const letter = colours.length > 1 ? letterOf(colour) : ''
    return `${site}+${this.block?.size ?? largest}${letter}`
  }

  /** React to a press on a site: build, explain why not, or wait for more. With `confirm`, a second
   * press on the site is needed to build. */
  press(site: string, confirm: boolean): 'build' | 'barred' | null {
    if (!this.isActive) return null
    if (this.site === site && this.placement) return 'build'
    if (!this.openSites.has(site)) return 'barred'
    return this.pickSite(site) && !confirm ? 'build' : null
  }

  /** Pick the block for the player where only one fits. */
  #pickOnlyBlock(): void {
    if (this.site === null || this.block) return
    const [first, ...others] = this.candidates('block')
    if (first && others.every((other) => isSameBlock(first, other)))
      this.block = { colour: first.colour, size: first.size }
  }
}

const blockKey = ({ colour, size }: SelectedBlock): string => `${colour}${size}`

const isSameBlock = (one: SelectedBlock, other: SelectedBlock): boolean =>
  one.colour === other.colour && one.size === other.size
