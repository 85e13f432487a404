/** View models of the board: what each site and city shows, from the game and the move that the
 * player assembles. */

import type { CityView, SiteView } from '$/board/board-types'
import { t } from '$/i18n/language.svelte'
import { countTowers, heightOf, majorityOwner, ownerOf, type Towers } from '$/model/event-log'
import { rotate, siteName, type Block } from '$/model/notation'
import type { TowerInfo } from '$/protocol/types.gen'
import {
  floorsText,
  ownerName,
  ownerWithColour,
  previousOwnerName,
  siteText,
  type NarrationContext
} from '$/text/narration'
import type { ScoringStep } from '$/text/scoring-steps'
import type { MoveSelection } from './move-selection.svelte'

/** The same array for every empty site, so that an unchanged site compares equal. */
const NO_TOWER: readonly Block[] = []

interface BoardInput {
  context: NarrationContext
  towers: Towers
  /** The site of the last build. */
  lastSite: string | null
  selection?: MoveSelection | null
  /** The towers as the server describes them, with the floors that each colour needs. */
  towerPayloads?: Record<string, TowerInfo | null | undefined>
  /** The colours of the player who selects. */
  colours?: readonly string[]
  scoringStep?: ScoringStep | null
}

export function siteViews(input: BoardInput): SiteView[] {
  const { context, towers, lastSite, selection, scoringStep } = input
  return Array.from({ length: 54 }, (_, index): SiteView => {
    const site = siteName(index)
    const tower = towers.get(site) ?? NO_TOWER
    const position = rotate(index % 9, context.side)
    const view: SiteView = {
      index,
      site,
      city: Math.floor(index / 9),
      row: Math.floor(position / 3),
      column: position % 3,
      tower,
      height: heightOf(tower),
      owner: ownerOf(tower),
      mark: null,
      note: null,
      ghost: null,
      selected: false,
      isLast: site === lastSite,
      highlighted: scoringStep ? scoringStep.highlighted.has(site) : null,
      award: scoringStep?.towers.get(site)?.points ?? null
    }
    return selection?.isActive ? { ...view, ...selectionMarks(view, selection, input) } : view
  })
}

/** What the selection shows at a site: whether it is open, why not, and what would be built. */
function selectionMarks(
  { index, site }: SiteView,
  selection: MoveSelection,
  { towerPayloads = {}, colours = [] }: BoardInput
): Partial<SiteView> {
  const isOpen = selection.openSites.has(site)
  const selected = selection.site === site
  const isPointedAt = selection.hover === site && (selection.site === null || isOpen)
  const placement = selected || isPointedAt ? selection.placementAt(site) : null
  if (placement) {
    const ghost = { colour: placement.colour, floors: placement.size }
    return { mark: 'open', selected, ghost }
  }
  const { handIndex, block } = selection
  const anythingPicked = handIndex !== null || block !== null || selection.site !== null
  if (isOpen && anythingPicked) return { mark: 'open', selected }
  if (selection.card === null || !selection.isNamedByCard(index)) return { selected }
  const tower = towerPayloads[site]
  if (!tower) return { mark: 'barred', selected }
  const builders = block ? [block.colour] : colours
  const needed = Math.min(...builders.map((colour) => tower.needs[colour] ?? Infinity))
  const note = needed === Infinity ? t('needs.too_much') : t('needs.floors', { floors: needed })
  return { mark: 'barred', selected, note }
}

/** A site in words, for screen readers. */
export function describeSite(
  context: NarrationContext,
  view: SiteView,
  selection: MoveSelection | null
): string {
  const content = view.owner
    ? t('label.tower', { floors: view.height, owner: ownerWithColour(context, view.owner) })
    : t('label.empty')
  const sentences = [`${siteText(context, view.site)}: ${content}`]
  if (view.mark === 'open') sentences.push(t('label.open'))
  if (view.mark === 'barred' && view.note) sentences.push(view.note)
  const isSelectable = selection?.isActive && view.mark === 'open'
  const placement = isSelectable ? selection.placementAt(view.site) : null
  if (placement) {
    const { colour, size, takesFrom } = placement
    const built = t('label.block', { floors: floorsText(size) })
    const takeover =
      takesFrom && t('tip.takes', { from: previousOwnerName(context, colour, takesFrom) })
    sentences.push([built, takeover].filter(Boolean).join(', '))
  }
  if (view.isLast) sentences.push(t('label.last'))
  return sentences.join('. ')
}

export function cityViews(
  context: NarrationContext,
  towers: Towers,
  scoringStep?: ScoringStep | null
): CityView[] {
  return countTowers(towers).map((counts, city) => {
    const leader = majorityOwner(counts)
    const isEmpty = Object.keys(counts).length === 0
    return {
      name: context.cities[city] ?? '',
      leader,
      award: scoringStep?.cities.get(city) ?? null,
      leadText: leader
        ? t('lead', {
            who: ownerName(context, leader.colour),
            you: String(
              context.me !== null && context.colours[context.me]?.includes(leader.colour)
            ),
            towers: leader.towers
          })
        : t(isEmpty ? 'lead.empty' : 'lead.tied')
    }
  })
}
