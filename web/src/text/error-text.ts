/** Error messages in the page's language: the server names a reason and sends its parameters. */

import { language, t, type Key } from '$/i18n/language.svelte'
import { LIMITS } from '$/model/limits'
import { ApiError } from '$/protocol/http'
import type { Problem } from '$/protocol/types.gen'
import { cardName, colourNoun } from '$/text/narration'

/** Messages for invalid input, by the path of the field: `$.seats[1].name`, `$.clock.bank`. */
const INPUT_MESSAGES: [RegExp, Key][] = [
  [/\.name$/, 'reason.bad_name'],
  [/^\$\.clock\b/, 'reason.bad_clock']
]

/** Why the server refuses something. `seenCard` is the card that is drawn for a card of the hand,
 * where the board isn't seen from the player's side. */
export function reasonText(
  { reason, params, text }: Problem,
  seenCard: (card: number) => number = (card) => card
): string {
  const path = reason === 'bad_request' ? `${params['path']}` : ''
  const input = INPUT_MESSAGES.find(([pattern]) => pattern.test(path))
  if (input) return t(input[1], LIMITS)
  const key = `reason.${reason}`
  if (!language.has(key)) return text || t('reason.server_unreachable')
  const values = { ...params } as Record<string, string | number>
  // The protocol names colours in English.
  for (const name of ['colour', 'owner', 'first', 'second']) {
    const colour = `colour.${values[name]}`
    if (language.has(colour)) values[name] = colourNoun(`${values[name]}`)
  }
  if (typeof values['card'] === 'number') values['card'] = cardName(seenCard(values['card']))
  try {
    return t(key, values)
  } catch {
    return text // a newer server does not send a parameter that the message needs
  }
}

export function errorText(error: unknown): string {
  return error instanceof ApiError ? reasonText(error.problem) : t('reason.server_unreachable')
}
