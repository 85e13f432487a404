/** The aspects in which the editions differ, and their values. */

import { list, t, type Key } from '$/i18n/language.svelte'
import type { Colour, EditionInfo } from '$/protocol/types.gen'
import { cityName, colourName } from '$/text/narration'
import { r, type RuleKey } from './messages.svelte'

/** House rules, and what only the edition determines. */
export const ASPECTS = [
  'sides',
  'start',
  'tallest_tie',
  'three_players',
  'two_players',
  'final_tie',
  'colours',
  'cities'
] as const
export type Aspect = (typeof ASPECTS)[number]

// Facts about the rulebooks that no table needs, and that the server does not send.
const AGREED_START = ['hig-1994']
const LEAVES_SCHEDULE_OPEN = ['hig-1994']
const SILENT_ON_EMPTY_PILE = ['999-games', 'foxgames-2018']

export const namesCities = (edition: EditionInfo): boolean =>
  edition.cities.some((city) => city.length > 1)
export const leavesScheduleOpen = ({ id }: EditionInfo): boolean =>
  LEAVES_SCHEDULE_OPEN.includes(id)
export const silentOnEmptyPile = ({ id }: EditionInfo): boolean => SILENT_ON_EMPTY_PILE.includes(id)

export function valueOf(edition: EditionInfo, aspect: Aspect): string {
  switch (aspect) {
    case 'start':
      return AGREED_START.includes(edition.id) ? 'free' : 'oldest'
    case 'colours':
      return edition.colours.join()
    case 'cities':
      return namesCities(edition) ? 'named' : 'letters'
    default:
      return edition.rules[aspect] ?? ''
  }
}

export function aspectText(aspect: Aspect): string {
  return aspect === 'start' || aspect === 'colours' || aspect === 'cities'
    ? r(`compare.${aspect}`)
    : t(`house_rule.${aspect}` as Key)
}

export function valueText(edition: EditionInfo, aspect: Aspect): string {
  const value = valueOf(edition, aspect)
  switch (aspect) {
    case 'start':
      return r(`compare.start.${value}` as RuleKey)
    case 'colours':
      return list(edition.colours.map(colourName))
    case 'cities':
      return value === 'named' ? list(edition.cities.map(cityName)) : r('compare.letters')
    default:
      return t(`house_rule.${aspect}.${value}` as Key)
  }
}

/** Is this edition the only one with its value? */
export const isUnique = (
  edition: EditionInfo,
  aspect: Aspect,
  all: readonly EditionInfo[]
): boolean =>
  all.every(
    (other) => other.id === edition.id || valueOf(other, aspect) !== valueOf(edition, aspect)
  )

export interface Schedule {
  blocks: number
  rounds: number
  colours: number
}

/** The schedule for a number of players: `4x6` is 4 blocks a round, 6 rounds. */
export function scheduleOf(edition: EditionInfo, players: 2 | 3 | 4): Schedule {
  const row = { 2: 'two_players', 3: 'three_players', 4: 'four_players' }[players]
  const value = edition.rules[row] ?? '6x4'
  return {
    blocks: Number(value[0]),
    rounds: Number(value[2]),
    colours: players === 2 && !value.endsWith('one-colour') ? 2 : 1
  }
}

/** Blocks of an example, given as the number of the edition's colour and the floors. */
export const inColours = (
  edition: EditionInfo,
  blocks: readonly (readonly [number, number])[]
): { colour: Colour; floors: number }[] =>
  blocks.map(([colour, floors]) => ({ colour: edition.colours[colour] as Colour, floors }))
