/** The tutorial's words. */

import type words from '$/i18n/learn/en.json'
import type { Book } from '$/i18n/language.svelte'

export type Word = keyof typeof words
export type Words = Book<Word>
