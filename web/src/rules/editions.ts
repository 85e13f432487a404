/** In what the editions differ, and what each does. */

import { colourName } from '$/game/cast'
import { list, t, type Key } from '$/i18n/language.svelte'
import type { Colour, EditionTold } from '$/protocol/told'
import { r, type RuleKey } from './book.svelte'

/** The rows that a table may change, and what is a matter of the box alone. */
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

// What a table does not need to know, and the server doesn't tell.
const AGREED_START = ['hig-1994']
const LEAVES_SCHEDULE_OPEN = ['hig-1994']
const SILENT_ON_EMPTY_PILE = ['999-games', 'foxgames-2018']

export const namesCities = (edition: EditionTold): boolean =>
  edition.cities.some((city) => city.length > 1)
export const leavesScheduleOpen = ({ id }: EditionTold): boolean =>
  LEAVES_SCHEDULE_OPEN.includes(id)
export const silentOnEmptyPile = ({ id }: EditionTold): boolean => SILENT_ON_EMPTY_PILE.includes(id)

export function valueOf(edition: EditionTold, aspect: Aspect): string {
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

export function aspectWords(aspect: Aspect): string {
  return aspect === 'start' || aspect === 'colours' || aspect === 'cities'
    ? r(`compare.${aspect}`)
    : t(`row.${aspect}` as Key)
}

export function valueWords(edition: EditionTold, aspect: Aspect): string {
  const value = valueOf(edition, aspect)
  switch (aspect) {
    case 'start':
      return r(`compare.start.${value}` as RuleKey)
    case 'colours':
      return list(edition.colours.map(colourName))
    case 'cities':
      return value === 'named' ? list(edition.cities) : r('compare.letters')
    default:
      return t(`row.${aspect}.${value}` as Key)
  }
}

/** Does this edition alone do so? */
export const isAlone = (
  edition: EditionTold,
  aspect: Aspect,
  all: readonly EditionTold[]
): boolean =>
  all.every(
    (other) => other.id === edition.id || valueOf(other, aspect) !== valueOf(edition, aspect)
  )

export interface Schedule {
  blocks: number
  rounds: number
  colours: number
}

/** `4x6`: blocks in a round, rounds. */
export function scheduleOf(edition: EditionTold, players: 2 | 3 | 4): Schedule {
  const row = { 2: 'two_players', 3: 'three_players', 4: 'four_players' }[players]
  const value = edition.rules[row] ?? '6x4'
  return {
    blocks: Number(value[0]),
    rounds: Number(value[2]),
    colours: players === 2 && !value.endsWith('one-colour') ? 2 : 1
  }
}

/** Examples are drawn in the colours of the box: its first to fourth. */
export const inColours = (
  edition: EditionTold,
  blocks: readonly (readonly [number, number])[]
): { colour: Colour; floors: number }[] =>
  blocks.map(([colour, floors]) => ({ colour: edition.colours[colour] as Colour, floors }))
