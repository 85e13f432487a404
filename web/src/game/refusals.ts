/** Why something is not done, in the reader's language: reasons are named, figures come along. */

import { language, t, type Key } from '$/i18n/language.svelte'
import type { RefusalTold } from '$/protocol/told'
import { Refused } from '$/protocol/api'

/** Of what can't be read, the server tells the place first (`body.chairs.1.name: …`). */
const PLACES: [RegExp, Key][] = [
  [/^[\w.]*\bname:/, 'reason.bad_name'],
  [/^[\w.]*\bclock\b/, 'reason.bad_clock']
]

export function reasonText(told: RefusalTold): string {
  const place = told.reason === 'bad_request' && PLACES.find(([one]) => one.test(told.text))
  if (place) return t(place[1])
  const key = `reason.${told.reason}`
  if (!language.knows(key)) return told.text || t('reason.server_away')
  const figures = { ...told.figures } as Record<string, string | number>
  // Colours come as words of the protocol.
  for (const name of ['colour', 'owner', 'first', 'second']) {
    const colour = `colour.${figures[name]}`
    if (language.knows(colour)) figures[name] = t(colour)
  }
  try {
    return t(key as Key, figures)
  } catch {
    return told.text // a figure that we don't know is missing
  }
}

export function errorText(error: unknown): string {
  return error instanceof Refused ? reasonText(error.told) : t('reason.server_away')
}
