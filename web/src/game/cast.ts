/** Who plays, in what colours, in which cities: what is needed to speak about a game. */

import { t, list, type Key, type Values } from '$/i18n/language.svelte'
import type { Colour, Seat } from '$/protocol/told'
import { type Line } from './story'
import { cardAt, siteIndex, type Size } from './words'

export interface Cast {
  names: readonly string[]
  colours: readonly (readonly string[])[]
  /** Who looks on as himself; null where several share a screen, or nobody plays. */
  me: number | null
  /** The names of the cities A to F. */
  cities: readonly string[]
  /** The side of the table from which it is seen. */
  side: Seat
}

/** Keeps a cast the very same thing while nobody in it changes: most news are not about it. */
export function steadyCast(): (cast: Cast) => Cast {
  let last: Cast | null = null
  return (cast) => {
    if (!last || JSON.stringify(cast) !== JSON.stringify(last)) last = cast
    return last
  }
}

/** A bot's name says how strong it is, in English ("Hard 2"): here in the page's language. A person
 * may be called so, too, and keeps his name. */
export function called(name: string, isBot: boolean): string {
  const bot = isBot && /^(Easy|Medium|Hard|Expert) (\d)$/.exec(name)
  return bot ? `${t(`level.${bot[1]!.toLowerCase()}` as Key)} ${bot[2]}` : name
}

export const colourName = (colour: string): string => t(`colour.${colour}` as Key)

export const playerOf = (cast: Cast, colour: string): number =>
  cast.colours.findIndex((own) => own.includes(colour))

/** A player, and whether he is who reads this: languages say that differently. */
export function who(cast: Cast, player: number): { who: string; name: string } {
  return { who: player === cast.me ? 'you' : 'other', name: cast.names[player] ?? '' }
}

/** A colour by its player; by itself too, where everybody has two. */
export function holder(cast: Cast, colour: string): string {
  const player = playerOf(cast, colour)
  const name = player === cast.me ? t('you') : (cast.names[player] ?? colourName(colour))
  return (cast.colours[player]?.length ?? 1) > 1
    ? t('holder', { name, colour: colourName(colour) })
    : name
}

export const whereWords = (cast: Cast, site: string): string =>
  t(`position.${cardAt(siteIndex(site), cast.side)}` as Key)

/** A site as a record names it, and in words. */
export function siteWords(cast: Cast, site: string): string {
  return t('site', { site: siteShort(cast, site), where: whereWords(cast, site) })
}

export function siteShort(cast: Cast, site: string): string {
  const city = cast.cities['ABCDEF'.indexOf(site[0]!)] ?? site[0]!
  return city.length === 1 ? site : `${city} ${site[1]}`
}

export const floorsWords = (floors: number): string => t('floors', { floors })

export function blocksWords(cast: Cast, player: number, blocks: Size[][]): string {
  const own = cast.colours[player] ?? []
  const sizes = blocks.map((one) => [...one].sort((a, b) => b - a).join(' '))
  if (sizes.length === 1) return sizes[0]!
  return list(
    sizes.map((one, n) => t('blocks_of_colour', { colour: colourName(own[n]!), blocks: one }))
  )
}

/** The sentence for something that happened. */
export function sentence(cast: Cast, line: Line): [Key, Values] {
  switch (line.kind) {
    case 'chose':
      return [
        'log.chose',
        { ...who(cast, line.player), blocks: blocksWords(cast, line.player, line.blocks) }
      ]
    case 'took_out':
      return ['log.took_out', { ...who(cast, line.player), floors: line.floors }]
    case 'redrew':
      return ['log.redrew', { ...who(cast, line.player) }]
    case 'resigned':
    case 'ran_out':
    case 'returned':
      return [`log.${line.kind}`, { ...who(cast, line.whose) }]
    case 'shuffled':
      return ['log.shuffled', {}]
    case 'scored':
      return ['log.scored', { round: line.sheet.round }]
    case 'built': {
      const builder = who(cast, line.player)
      const site = siteWords(cast, line.site)
      if (line.before === 0) return ['log.started', { ...builder, site, floors: line.floors }]
      if (line.from === null) return ['log.raised', { ...builder, site, height: line.after }]
      const victim = playerOf(cast, line.from)
      // Who has two colours may take over from himself.
      const own = victim === line.player
      return [
        'log.took',
        {
          ...builder,
          site,
          victim: victim === cast.me && !own ? 'you' : 'other',
          from: own ? colourName(line.from) : holder(cast, line.from),
          own: line.own,
          theirs: line.theirs
        }
      ]
    }
  }
}

export const firstColour = (cast: Cast, player: number): Colour =>
  (cast.colours[player]?.[0] ?? 'orange') as Colour
