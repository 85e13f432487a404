/** Narration: players, colours, sites and log entries in words of the page's language. */

import { language, list, t, type Key, type Values } from '$/i18n/language.svelte'
import { ownerOf, tallestTowers, type LogEntry, type Towers } from '$/model/event-log'
import { cardAt, CITY_LETTERS, siteIndex, type Size } from '$/model/notation'
import type { Colour, Side } from '$/protocol/types.gen'

/** What has to be known of a game to speak about it. */
export interface NarrationContext {
  names: readonly string[]
  colours: readonly (readonly string[])[]
  /** The player who is addressed as "you"; null for spectators and on a shared screen. */
  me: number | null
  /** The names of the cities A to F. */
  cities: readonly string[]
  /** The side of the board at the bottom of the screen. */
  side: Side
}

/** Return the previous context while the new one is equal: most updates do not change it, and what
 * depends on it need not be computed again. */
export function memoizeContext(): (context: NarrationContext) => NarrationContext {
  let last: NarrationContext | null = null
  return (context) => {
    if (!last || JSON.stringify(context) !== JSON.stringify(last)) last = context
    return last
  }
}

/** The name that the server gives to a person who has deleted their account. */
const DELETED_NAME = 'Deleted player'

/** The names to show for the seats of a table; "Hard 1" of an older table is translated. */
export function displayNames(seats: readonly { name: string; level: string | null }[]): string[] {
  let bots = 0
  return distinctNames(
    seats.map(({ name, level }) => {
      if (!level) return name === DELETED_NAME ? t('deleted_player') : name
      bots += 1
      return isNamedByLevel(name) ? `${levelName(level)} ${bots}` : name
    })
  )
}

/** The names to show in a list, each bot with its level. */
export const namesWithLevels = (
  seats: readonly { name: string; level: string | null }[]
): string[] =>
  displayNames(seats).map((name, n) => {
    const level = shownLevel(seats[n]!)
    return level ? t('bot_with_level', { name, level }) : name
  })

/** The level to show beside a bot's name, unless the name says it. */
export const shownLevel = ({
  name,
  level
}: {
  name: string
  level: string | null
}): string | null => (level && !isNamedByLevel(name) ? levelName(level) : null)

/** At an older table a bot's name is its level and a number. */
const isNamedByLevel = (name: string): boolean => /^\w+ \d$/.test(name)

/** Number the second and every further player of the same name: "Ada", "Ada (2)". */
function distinctNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return name && count > 1 ? `${name} (${count})` : name
  })
}

export const levelName = (level: string): string => t(`level.${level}` as Key)

export const colourName = (colour: string): string => t(`colour.${colour}` as Key)

/** A colour as a noun, "in Blau": German writes nouns with a capital letter. */
export const colourNoun = (colour: string): string =>
  language.code === 'de' ? capitalize(colourName(colour)) : colourName(colour)

export const playerOfColour = (context: NarrationContext, colour: string): number =>
  context.colours.findIndex((colours) => colours.includes(colour))

export const firstColour = (context: NarrationContext, player: number): Colour =>
  (context.colours[player]?.[0] ?? 'orange') as Colour

/** The tallest towers and their owners. The server decides whether tied towers score. */
export function narrateTallest(context: NarrationContext, towers: Towers): [Key, Values] | null {
  const { floors, sites } = tallestTowers(towers)
  const [site, ...others] = sites
  if (!site) return null
  const colours = new Set(sites.map((each) => ownerOf(towers.get(each)!)!))
  const owners = list([...colours].map((colour) => ownerName(context, colour)))
  return others.length
    ? ['log.tallest_shared', { floors, towers: sites.length, owners }]
    : ['log.tallest_now', { floors, site: shortSiteName(context, site), owner: owners }]
}

/** The values of a message about a player, whom it addresses as "you" or calls by name. */
export function playerValues(
  context: NarrationContext,
  player: number
): { who: string; name: string } {
  return { who: player === context.me ? 'you' : 'other', name: context.names[player] ?? '' }
}

/** The owner of a colour; with the colour where each player has two. */
export function ownerName(context: NarrationContext, colour: string): string {
  const player = playerOfColour(context, colour)
  if ((context.colours[player]?.length ?? 1) > 1) return ownerWithColour(context, colour)
  return player === context.me ? t('you') : (context.names[player] ?? colourName(colour))
}

/** The owner from whom a block of a colour takes a tower over: a player's other colour is named by
 * the colour alone, since nobody takes over from "You". */
export function previousOwnerName(
  context: NarrationContext,
  colour: string,
  takenFrom: string
): string {
  return playerOfColour(context, colour) === playerOfColour(context, takenFrom)
    ? colourName(takenFrom)
    : ownerName(context, takenFrom)
}

/** The owner of a colour, always with the colour. */
export function ownerWithColour(context: NarrationContext, colour: string): string {
  const player = playerOfColour(context, colour)
  const name = player === context.me ? t('you') : context.names[player]
  return name === undefined
    ? colourName(colour)
    : t('owner_with_colour', { name, colour: colourName(colour) })
}

/** A city in the page's language; the server names cities in English, or by a letter. */
export function cityName(city: string): string {
  const id = city.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '_')
  const key = `city.${id}`
  return language.has(key) ? t(key) : city
}

/** A card by the position that it shows: "Centre". */
export const cardName = (card: number): string => capitalize(t(`position.${card}` as Key))

/** A site by its name in the notation and by its position: "C5, centre". */
export function siteText(context: NarrationContext, site: string): string {
  const position = t(`position.${cardAt(siteIndex(site), context.side)}` as Key)
  return t('site', { site: shortSiteName(context, site), where: position })
}

/** A site as the edition calls it: "C5", or "Cairo 5". */
export function shortSiteName(context: NarrationContext, site: string): string {
  const city = context.cities[CITY_LETTERS.indexOf(site[0]!)] ?? site[0]!
  return city.length === 1 ? site : `${city} ${site[1]}`
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const floorsText = (floors: number): string => t('floors', { floors })

/** The blocks of a selection, the largest first. */
export function blocksText(context: NarrationContext, player: number, blocks: Size[][]): string {
  const colours = context.colours[player] ?? []
  const lists = blocks.map((sizes) => [...sizes].sort((a, b) => b - a).join(' '))
  if (lists.length === 1) return lists[0]!
  return list(
    lists.map((sizes, n) =>
      t('blocks_of_colour', { colour: colourName(colours[n]!), blocks: sizes })
    )
  )
}

/** The message for a log entry. */
export function narrate(context: NarrationContext, entry: LogEntry): [Key, Values] {
  switch (entry.kind) {
    case 'selected':
      return [
        'log.selected',
        {
          ...playerValues(context, entry.player),
          blocks: blocksText(context, entry.player, entry.blocks)
        }
      ]
    case 'removed':
      return ['log.removed', { ...playerValues(context, entry.player), floors: entry.floors }]
    case 'redrew':
      return ['log.redrew', playerValues(context, entry.player)]
    case 'player_resigned':
    case 'time_expired':
    case 'player_substituted':
    case 'player_returned':
      return [`log.${entry.kind}`, playerValues(context, entry.seat)]
    case 'shuffled':
      return ['log.shuffled', {}]
    case 'scored':
      return ['log.scored', { round: entry.sheet.round }]
    case 'built': {
      const builder = playerValues(context, entry.player)
      const site = siteText(context, entry.site)
      const { floors, takenFrom, heightBefore, heightAfter } = entry
      if (heightBefore === 0) return ['log.started', { ...builder, site, floors }]
      if (takenFrom === null) return ['log.raised', { ...builder, site, height: heightAfter }]
      const victim = playerOfColour(context, takenFrom)
      // A player of two colours may take over a tower of their other colour.
      const isOwn = victim === entry.player
      return [
        'log.taken_over',
        {
          ...builder,
          site,
          victim: victim === context.me && !isOwn ? 'you' : 'other',
          from: previousOwnerName(context, entry.colour, takenFrom),
          own: entry.ownFloors,
          theirs: entry.previousOwnerFloors
        }
      ]
    }
  }
}
