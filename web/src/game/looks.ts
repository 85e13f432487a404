/** How the sites and cities of a game look: towers, and what can be done there. */

import type { CityLook, SiteLook } from '$/board/looks'
import { t } from '$/i18n/language.svelte'
import type { TowerTold } from '$/protocol/told'
import { colourName, floorsWords, holder, siteWords, type Cast } from './cast'
import type { Choice } from './choice.svelte'
import { counts, heightOf, leader, ownerOf, type Towers } from './story'
import type { TallyStep } from './tally'
import { siteName, turned, type Block } from './words'

/** The same for every empty site, so that it is seen to be the same as before. */
const NOTHING: readonly Block[] = []

interface Around {
  cast: Cast
  towers: Towers
  /** The site that was built on last. */
  last: string | null
  choice?: Choice | null
  told?: Record<string, TowerTold | null | undefined>
  own?: readonly string[]
  /** Points that are given at the moment. */
  tally?: TallyStep | null
}

export function siteLooks(around: Around): SiteLook[] {
  const { cast, towers, last, choice, told = {}, own = [], tally } = around
  return Array.from({ length: 54 }, (_, index): SiteLook => {
    const site = siteName(index)
    const tower = towers.get(site) ?? NOTHING
    const place = turned(index % 9, cast.side)
    const look: SiteLook = {
      index,
      site,
      city: Math.floor(index / 9),
      row: Math.floor(place / 3),
      column: place % 3,
      tower,
      height: heightOf(tower),
      owner: ownerOf(tower),
      mark: null,
      note: null,
      ghost: null,
      chosen: false,
      last: site === last,
      lit: tally ? tally.lit.has(site) : null,
      award: tally?.towers.get(site)?.points ?? null
    }
    if (choice?.active) marked(look, choice, told[site], own)
    return look
  })
}

function marked(
  look: SiteLook,
  choice: Choice,
  told: TowerTold | null | undefined,
  own: readonly string[]
): void {
  const picked = choice.slot !== null || choice.block !== null || choice.site !== null
  const open = choice.open.has(look.site)
  const named = choice.card !== null && choice.named(look.index)
  if (open && picked) look.mark = 'open'
  else if (named) look.mark = 'barred'
  look.chosen = choice.site === look.site
  if (look.mark === 'barred' && told) {
    const colours = choice.block ? [choice.block.colour] : own
    const needs = colours.map((colour) => told.needs[colour] ?? Infinity)
    const least = Math.min(...needs)
    look.note = least === Infinity ? t('needs.too_much') : t('needs.floors', { floors: least })
  }
  const here = look.chosen || (choice.hover === look.site && (choice.site === null || open))
  const would = here ? choice.at(look.site) : null
  if (would) {
    look.ghost = { colour: would.colour, floors: would.size }
    look.mark = 'open'
  }
}

/** A site for who can't see it. */
export function siteLabel(cast: Cast, look: SiteLook, choice: Choice | null): string {
  const where = siteWords(cast, look.site)
  const what = look.owner
    ? t('label.tower', {
        floors: look.height,
        owner: holder(cast, look.owner),
        colour: colourName(look.owner)
      })
    : t('label.empty')
  const said = [`${where}: ${what}`]
  if (look.mark === 'open') said.push(t('label.open'))
  if (look.mark === 'barred' && look.note) said.push(look.note)
  const would = choice?.active && look.mark === 'open' ? choice.at(look.site) : null
  if (would) {
    const from = would.from ? t('tip.takes', { from: holder(cast, would.from) }) : ''
    said.push(
      [t('label.would', { floors: floorsWords(would.size) }), from].filter(Boolean).join(', ')
    )
  }
  if (look.last) said.push(t('label.last'))
  return said.join('. ')
}

export function cityLooks(cast: Cast, towers: Towers, tally?: TallyStep | null): CityLook[] {
  return counts(towers).map((count, city) => {
    const first = leader(count)
    const nobody = Object.keys(count).length === 0
    return {
      name: cast.cities[city] ?? '',
      leader: first,
      award: tally?.cities.get(city) ?? null,
      lead: first
        ? t('lead', {
            who: holder(cast, first.colour),
            you: String(cast.me !== null && cast.colours[cast.me]?.includes(first.colour)),
            towers: first.towers
          })
        : t(nobody ? 'lead.empty' : 'lead.tied')
    }
  })
}
