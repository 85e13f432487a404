/** The page's words, in the language that somebody reads. */

import { IntlMessageFormat, type Formatters } from 'intl-messageformat'
import { settings } from '$/settings.svelte'
import en from './en.json'
import { plural } from './plurals'

/** What the browser knows of a language takes longer to look up than a sentence to be made: all
 * messages share it. */
function shared<Options, Known>(make: (code: string, options?: Options) => Known) {
  const kept = new Map<string, Known>()
  return (code: string | string[] = language.code, options?: Options): Known => {
    const name = `${String(code)} ${JSON.stringify(options)}`
    const known = kept.get(name) ?? make(String(code), options)
    kept.set(name, known)
    return known
  }
}
const numbers = shared(
  (code, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(code, options)
)
const dates = shared(
  (code, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(code, options)
)
const plurals = shared(
  (code, options?: Intl.PluralRulesOptions) => new Intl.PluralRules(code, options)
)
/** A small whole number needs no browser to be written, nor for its plural. */
const small = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1000
const formatters = {
  getNumberFormat: (code?: string | string[], options?: Intl.NumberFormatOptions) => ({
    format: (value: number): string =>
      small(value) && !options ? String(value) : numbers(code, options).format(value)
  }),
  getDateTimeFormat: dates,
  getPluralRules: (code?: string | string[], options?: Intl.PluralRulesOptions) => ({
    select: (value: number): Intl.LDMLPluralRule =>
      plural(String(code), options?.type ?? 'cardinal', value) ??
      plurals(code, options).select(value)
  })
} as unknown as Formatters
const lists = shared((code) => new Intl.ListFormat(code, { type: 'conjunction' }))
IntlMessageFormat.resolveLocale = shared((code) => new Intl.Locale(code))

/** A message without choices and tags is what it says, with its arguments put in. */
type Format = IntlMessageFormat | string
const PLAIN = /^([^{}<]|\{\w+\})*$/
const compiled = (message: string, code: Code): Format =>
  PLAIN.test(message) ? message : new IntlMessageFormat(message, code, undefined, { formatters })

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

/** Words of pages that not everybody opens: `<book>/<language>.json`, loaded when they are. */
const SHELF = import.meta.glob<Record<string, string>>('./*/*.json', { import: 'default' })

export class Book<K extends string> {
  #name: string
  #code: Code = 'en'
  #messages = $state.raw<Record<string, string>>({})
  #formats = new Map<string, Format>()

  constructor(name: string) {
    this.#name = name
  }

  /** For the language alone: a book is asked for with `language.book`. */
  async read(code: Code): Promise<void> {
    const messages = await SHELF[`./${this.#name}/${code}.json`]!()
    this.#formats.clear()
    this.#code = code
    this.#messages = messages
  }

  knows(key: string): key is K {
    return key in this.#messages
  }

  /** A message as a text. */
  t(key: K, values?: Values): string {
    return asText(this.pieces(key, values))
  }

  /** A message with its strong parts. */
  pieces(key: K, values?: Values): Piece[] {
    const message = this.#messages[key] ?? key
    let format = this.#formats.get(key)
    if (format === undefined) {
      format = compiled(message, this.#code)
      this.#formats.set(key, format)
    }
    return asPieces(format, values)
  }
}

class Language {
  code = $state<Code>('en')
  #books = new Map<string, Promise<Book<string>>>()
  #messages = $state.raw<Record<string, string>>(en)
  #formats = new Map<string, Format>()

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
      for (const book of this.#books.values()) await (await book).read(code)
    } catch {
      ;[code, messages] = ['en', en] // the server is away: what we have is English
    }
    this.#formats.clear()
    this.#messages = messages
    this.code = code
    document.documentElement.lang = code
  }

  /** More words, by the type of their English file:
   *
   *     import type words from '$/i18n/learn/en.json'
   *     const book = await language.book<keyof typeof words>('learn')
   *
   * An open book changes its language with the page. */
  book<K extends string>(name: string): Promise<Book<K>> {
    let opened = this.#books.get(name)
    if (!opened) {
      const book = new Book<string>(name)
      opened = book.read(this.code).then(() => book)
      this.#books.set(name, opened)
      opened.catch(() => this.#books.delete(name)) // the server is away: the next one asks again
    }
    return opened as Promise<Book<K>>
  }

  /** Is there such a message? Reasons come from the server, which may be newer than the page. */
  knows(key: string): key is Key {
    return key in en
  }

  format(key: Key): Format {
    const message = this.#messages[key] ?? en[key]
    let format = this.#formats.get(key)
    if (format === undefined) {
      format = compiled(message, this.code)
      this.#formats.set(key, format)
    }
    return format
  }
}

export const language = new Language()

/** A message as a text. */
export function t(key: Key, values?: Values): string {
  return asText(pieces(key, values))
}

/** A message with its strong parts. */
export function pieces(key: Key, values?: Values): Piece[] {
  return asPieces(language.format(key), values)
}

function filled(message: string, values: Values): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`${name} is missing in ${message}`)
    return String(values[name])
  })
}

function asPieces(format: Format, values: Values = {}): Piece[] {
  if (typeof format === 'string') return [{ text: filled(format, values), strong: false }]
  const b = (parts: unknown[]): Piece => ({ text: parts.join(''), strong: true })
  const told = format.format<string | Piece>({ ...values, b } as never)
  const parts = Array.isArray(told) ? told : [told]
  return parts.map((part) => (typeof part === 'object' ? part : { text: part, strong: false }))
}

const asText = (told: Piece[]): string => told.map((piece) => piece.text).join('')

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return numbers(language.code, options).format(value)
}

/** A list of names, as the language writes lists. */
export function list(names: string[]): string {
  return lists(language.code).format(names)
}

export function moment(at: number): string {
  return dates(language.code, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}
