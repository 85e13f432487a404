/** A hint in words: the move is shown on the board, the sentences say what speaks for it. */

import { list, number, t } from '$/i18n/language.svelte'
import { CITY_LETTERS, colourOf, parseMove } from '$/model/notation'
import type { HintReasonInfo, HintResponse } from '$/protocol/types.gen'
import {
  colourName,
  firstColour,
  floorsText,
  ownerName,
  playerOfColour,
  type NarrationContext
} from './narration'

/** More reasons than this are no help. */
const MAX_REASONS = 2

/** The reasons for a move, and the points that it changes at once. The player to move is addressed,
 * on a shared screen as well. */
export function hintText(context: NarrationContext, hint: HintResponse, player: number): string {
  const reasons = hint.reasons
    .slice(0, MAX_REASONS)
    .map((reason) => reasonSentence(context, reason, hint.move, player))
  return [...reasons, pointsSentence(context, hint, player)].filter(Boolean).join(' ')
}

function reasonSentence(
  context: NarrationContext,
  { kind, colour, city }: HintReasonInfo,
  move: string,
  player: number
): string {
  switch (kind) {
    case 'wins_majority':
    case 'ends_majority':
      return t(`hint.${kind}`, {
        owner: colour ? loserName(context, colour, player) : '',
        city: context.cities[CITY_LETTERS.indexOf(city!)] ?? city!
      })
    case 'ends_tallest':
    case 'takes_tower':
      return t(`hint.${kind}`, { owner: loserName(context, colour!, player) })
    case 'least_needed':
      return t('hint.least_needed', { block: removedBlock(context, move, player) })
    default:
      return t(`hint.${kind}`)
  }
}

/** The owner of a colour; the player's own other colour is named by the colour alone. */
const loserName = (context: NarrationContext, colour: string, player: number): string =>
  playerOfColour(context, colour) === player ? colourName(colour) : ownerName(context, colour)

function removedBlock(context: NarrationContext, text: string, player: number): string {
  const move = parseMove(text)
  if (move.kind !== 'remove') return ''
  const colours = context.colours[player] ?? [firstColour(context, player)]
  const floors = floorsText(move.size)
  if (!move.letter) return floors
  return t('blocks_of_colour', {
    colour: colourName(colourOf(move.letter, colours)),
    blocks: floors
  })
}

function pointsSentence(
  context: NarrationContext,
  { gains }: HintResponse,
  player: number
): string {
  if (!gains.length) return '' // the move is no placement
  const others = gains.map((_, n) => n).filter((n) => n !== player)
  const changes = [player, ...others]
    .filter((n) => gains[n])
    .map((n) =>
      t('hint.change', {
        who: n === player ? 'you' : 'other',
        name: context.names[n] ?? '',
        signed: number(gains[n]!, { signDisplay: 'always' })
      })
    )
  return changes.length ? t('hint.points', { changes: list(changes) }) : t('hint.no_points')
}
