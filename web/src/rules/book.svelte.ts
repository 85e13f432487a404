/** The words of the rules, which only their page loads. */

import { language, type Book, type Piece, type Values } from '$/i18n/language.svelte'
import type words from '$/i18n/rules/en.json'

export type RuleKey = keyof typeof words

let book = $state.raw<Book<RuleKey> | null>(null)

/** Before anything else of this folder is drawn. */
export async function openBook(): Promise<void> {
  book = await language.book<RuleKey>('rules')
}

export const r = (key: RuleKey, values?: Values): string => book!.t(key, values)
export const ruled = (key: RuleKey, values?: Values): Piece[] => book!.pieces(key, values)
