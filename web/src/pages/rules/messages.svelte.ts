/** The messages of the rules, which only their page loads. */

import { language, type MessageBundle, type Piece, type Values } from '$/i18n/language.svelte'
import type en from '$/i18n/rules/en.json'

export type RuleKey = keyof typeof en

let messages = $state.raw<MessageBundle<RuleKey> | null>(null)

/** Load the messages; no component of this folder can be drawn before. */
export async function loadMessages(): Promise<void> {
  messages = await language.loadBundle<RuleKey>('rules')
}

export const r = (key: RuleKey, values?: Values): string => messages!.t(key, values)
export const rulePieces = (key: RuleKey, values?: Values): Piece[] => messages!.pieces(key, values)
