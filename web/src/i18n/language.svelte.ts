/** The page's words, in the language that somebody reads. */

import { IntlMessageFormat } from 'intl-messageformat'
import { settings } from '$/settings.svelte'
import en from './en.json'

export type Key = keyof typeof en
export type Values = Record<string, string | number>
/** A piece of a sentence; strong where the message says so with <b>. */
export interface Piece {
  text: string
  strong: boolean
}

export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  nl: 'Nederlands',
  pl: 'Polski'
} as const
export type Code = keyof typeof LANGUAGES

const OTHERS: Record<Exclude<Code, 'en'>, () => Promise<{ default: Record<string, string> }>> = {
  de: () => import('./de.json'),
  fr: () => import('./fr.json'),
  nl: () => import('./nl.json'),
  pl: () => import('./pl.json')
}

class Language {
  code = $state<Code>('en')
  #messages = $state.raw<Record<string, string>>(en)
  #formats = new Map<string, IntlMessageFormat>()

  /** The language that was chosen before, or the first that the browser prefers and we know. */
  async begin(): Promise<void> {
    const wished = [settings.get('language'), ...navigator.languages]
    const known = wished.map((one) => one?.slice(0, 2)).find((one) => one && one in LANGUAGES)
    await this.#speak((known ?? 'en') as Code)
  }

  async choose(code: Code): Promise<void> {
    settings.set('language', code)
    await this.#speak(code)
  }

  async #speak(code: Code): Promise<void> {
    let messages: Record<string, string> = en
    try {
      if (code !== 'en') messages = (await OTHERS[code]()).default
    } catch {
      code = 'en' // the server is away: what we have is English
    }
    this.#formats.clear()
    this.#messages = messages
    this.code = code
    document.documentElement.lang = code
  }

  /** Is there such a message? Reasons come from the server, which may be newer than the page. */
  knows(key: string): key is Key {
    return key in en
  }

  format(key: Key): IntlMessageFormat {
    const message = this.#messages[key] ?? en[key]
    let format = this.#formats.get(key)
    if (!format) {
      format = new IntlMessageFormat(message, this.code)
      this.#formats.set(key, format)
    }
    return format
  }
}

export const language = new Language()

/** A message as a text. */
export function t(key: Key, values?: Values): string {
  return pieces(key, values)
    .map((piece) => piece.text)
    .join('')
}

/** A message with its strong parts. */
export function pieces(key: Key, values: Values = {}): Piece[] {
  const b = (parts: unknown[]): Piece => ({ text: parts.join(''), strong: true })
  const told = language.format(key).format<string | Piece>({ ...values, b } as never)
  const parts = Array.isArray(told) ? told : [told]
  return parts.map((part) => (typeof part === 'object' ? part : { text: part, strong: false }))
}

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(language.code, options).format(value)
}

/** A list of names, as the language writes lists. */
export function list(names: string[]): string {
  return new Intl.ListFormat(language.code, { type: 'conjunction' }).format(names)
}

export function moment(at: number): string {
  return new Intl.DateTimeFormat(language.code, { dateStyle: 'medium', timeStyle: 'short' }).format(
    at
  )
}
