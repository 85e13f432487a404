/** Internationalization: the page's messages (ICU MessageFormat) in the visitor's language. */

import { IntlMessageFormat, type Formatters } from 'intl-messageformat'
import { settings } from '$/state/settings.svelte'
import en from './en.json'
import { plural } from './plurals'

/** Share the browser's formatters between all messages: creating one takes longer than formatting. */
function memoize<Options, Formatter>(create: (code: string, options?: Options) => Formatter) {
  const cache = new Map<string, Formatter>()
  return (code: string | string[] = language.code, options?: Options): Formatter => {
    const key = `${String(code)} ${JSON.stringify(options)}`
    const formatter = cache.get(key) ?? create(String(code), options)
    cache.set(key, formatter)
    return formatter
  }
}
const numberFormat = memoize(
  (code, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(code, options)
)
const dateFormat = memoize(
  (code, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(code, options)
)
const pluralRules = memoize(
  (code, options?: Intl.PluralRulesOptions) => new Intl.PluralRules(code, options)
)
const listFormat = memoize((code) => new Intl.ListFormat(code, { type: 'conjunction' }))
/** Small integers are written the same in every language, without a formatter. */
const isSmallInteger = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1000
const formatters = {
  getNumberFormat: (code?: string | string[], options?: Intl.NumberFormatOptions) => ({
    format: (value: number): string =>
      isSmallInteger(value) && !options ? String(value) : numberFormat(code, options).format(value)
  }),
  getDateTimeFormat: dateFormat,
  getPluralRules: (code?: string | string[], options?: Intl.PluralRulesOptions) => ({
    select: (value: number): Intl.LDMLPluralRule =>
      plural(String(code), options?.type ?? 'cardinal', value) ??
      pluralRules(code, options).select(value)
  })
} as unknown as Formatters
IntlMessageFormat.resolveLocale = memoize((code) => new Intl.Locale(code))

/** A compiled message; one with plain arguments only stays a string. */
type Format = IntlMessageFormat | string
const PLAIN = /^([^{}<]|\{\w+\})*$/
const compile = (message: string, code: Code): Format =>
  PLAIN.test(message) ? message : new IntlMessageFormat(message, code, undefined, { formatters })

export type Key = keyof typeof en
export type Values = Record<string, string | number>
/** A part of a sentence; strong where the message has <b>. */
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

const LOADERS: Record<Exclude<Code, 'en'>, () => Promise<{ default: Record<string, string> }>> = {
  de: () => import('./de.json'),
  fr: () => import('./fr.json'),
  nl: () => import('./nl.json'),
  pl: () => import('./pl.json')
}

/** Messages of single pages, `<bundle>/<language>.json`, loaded with the page. */
const BUNDLE_LOADERS = import.meta.glob<Record<string, string>>('./*/*.json', { import: 'default' })

export class MessageBundle<K extends string> {
  #name: string
  #code: Code = 'en'
  #messages = $state.raw<Record<string, string>>({})
  #formats = new Map<string, Format>()

  constructor(name: string) {
    this.#name = name
  }

  /** Only the language calls this; a page gets a bundle from `language.loadBundle`. */
  async load(code: Code): Promise<void> {
    const messages = await BUNDLE_LOADERS[`./${this.#name}/${code}.json`]!()
    this.#formats.clear()
    this.#code = code
    this.#messages = messages
  }

  has(key: string): key is K {
    return key in this.#messages
  }

  /** A message as plain text. */
  t(key: K, values?: Values): string {
    return toText(this.pieces(key, values))
  }

  /** A message with its strong parts. */
  pieces(key: K, values?: Values): Piece[] {
    const message = this.#messages[key] ?? key
    let format = this.#formats.get(key)
    if (format === undefined) {
      format = compile(message, this.#code)
      this.#formats.set(key, format)
    }
    return toPieces(format, values)
  }
}

class Language {
  code = $state<Code>('en')
  #bundles = new Map<string, Promise<MessageBundle<string>>>()
  #messages = $state.raw<Record<string, string>>(en)
  #formats = new Map<string, Format>()

  /** Load the language from the settings, or else the browser's first preference that we have. */
  async init(): Promise<void> {
    const preferred = [settings.get('language'), ...navigator.languages]
    const code = preferred.map((tag) => tag?.slice(0, 2)).find((tag) => tag && tag in LANGUAGES)
    await this.#load((code ?? 'en') as Code)
  }

  async select(code: Code): Promise<void> {
    settings.set('language', code)
    await this.#load(code)
  }

  async #load(code: Code): Promise<void> {
    let messages: Record<string, string> = en
    try {
      if (code !== 'en') messages = (await LOADERS[code]()).default
      for (const bundle of this.#bundles.values()) await (await bundle).load(code)
    } catch {
      ;[code, messages] = ['en', en] // the server is unreachable; English is part of the page
    }
    this.#formats.clear()
    this.#messages = messages
    this.code = code
    document.documentElement.lang = code
  }

  /** Load the messages of a page, typed by its English file:
   *
   *     import type en from '$/i18n/tutorial/en.json'
   *     const messages = await language.loadBundle<keyof typeof en>('tutorial')
   *
   * A loaded bundle changes its language with the page. */
  loadBundle<K extends string>(name: string): Promise<MessageBundle<K>> {
    let request = this.#bundles.get(name)
    if (!request) {
      const bundle = new MessageBundle<string>(name)
      request = bundle.load(this.code).then(() => bundle)
      this.#bundles.set(name, request)
      request.catch(() => this.#bundles.delete(name)) // the next call tries again
    }
    return request as Promise<MessageBundle<K>>
  }

  /** Does the page have this message? A newer server may send reasons that it does not know. */
  has(key: string): key is Key {
    return key in en
  }

  format(key: Key): Format {
    const message = this.#messages[key] ?? en[key]
    let format = this.#formats.get(key)
    if (format === undefined) {
      format = compile(message, this.code)
      this.#formats.set(key, format)
    }
    return format
  }
}

export const language = new Language()

/** A message as plain text. */
export function t(key: Key, values?: Values): string {
  return toText(pieces(key, values))
}

/** A message with its strong parts. */
export function pieces(key: Key, values?: Values): Piece[] {
  return toPieces(language.format(key), values)
}

function interpolate(message: string, values: Values): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`${name} is missing in ${message}`)
    return String(values[name])
  })
}

function toPieces(format: Format, values: Values = {}): Piece[] {
  if (typeof format === 'string') return [{ text: interpolate(format, values), strong: false }]
  const b = (parts: unknown[]): Piece => ({ text: parts.join(''), strong: true })
  const formatted = format.format<string | Piece>({ ...values, b } as never)
  const parts = Array.isArray(formatted) ? formatted : [formatted]
  return parts.map((part) => (typeof part === 'object' ? part : { text: part, strong: false }))
}

const toText = (parts: Piece[]): string => parts.map((piece) => piece.text).join('')

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return numberFormat(language.code, options).format(value)
}

/** A list of names, as the language writes lists. */
export function list(names: string[]): string {
  return listFormat(language.code).format(names)
}

export function dateTime(at: number): string {
  return dateFormat(language.code, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}
