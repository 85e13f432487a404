/** Quick reactions in the chat. They are sent as `:well_played:`, so that everyone reads them in their
 * own language. */

import { t, type Key } from '$/i18n/language.svelte'

export const REACTIONS = [
  'hello',
  'good_move',
  'oops',
  'one_moment',
  'thanks',
  'good_game'
] as const
export type Reaction = (typeof REACTIONS)[number]

export const reactionCode = (reaction: Reaction): string => `:${reaction}:`

/** The text of a chat message, in the user's language if it is a reaction. */
export function chatText(text: string): string {
  const reaction = REACTIONS.find((each) => reactionCode(each) === text)
  return reaction ? t(`reaction.${reaction}` as Key) : text
}
