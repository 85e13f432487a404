/** Plural forms of small integers in the page's languages.
 *
 * The browser knows them too, but on a phone its first answer takes a tenth of a second during which
 * nothing is drawn. A test compares this table with the browser's. */

export type Kind = 'cardinal' | 'ordinal'
type Rule = (n: number) => Intl.LDMLPluralRule

const MAX_NUMBER = 999

const oneOrOther: Rule = (n) => (n === 1 ? 'one' : 'other')
const alwaysOther: Rule = () => 'other'
/** Is the last digit in this range, and the number not one of the teens? */
const endsIn = (n: number, from: number, to: number): boolean =>
  n % 10 >= from && n % 10 <= to && Math.floor((n % 100) / 10) !== 1

const RULES: Record<string, Record<Kind, Rule>> = {
  en: {
    cardinal: oneOrOther,
    ordinal: (n) =>
      endsIn(n, 1, 1) ? 'one' : endsIn(n, 2, 2) ? 'two' : endsIn(n, 3, 3) ? 'few' : 'other'
  },
  de: { cardinal: oneOrOther, ordinal: alwaysOther },
  fr: { cardinal: (n) => (n < 2 ? 'one' : 'other'), ordinal: oneOrOther },
  nl: { cardinal: oneOrOther, ordinal: alwaysOther },
  pl: {
    cardinal: (n) => (n === 1 ? 'one' : endsIn(n, 2, 4) ? 'few' : 'many'),
    ordinal: alwaysOther
  }
}

/** The plural form; null for numbers and languages that are left to the browser. */
export function plural(code: string, kind: Kind, n: number): Intl.LDMLPluralRule | null {
  if (!Number.isInteger(n) || n < 0 || n > MAX_NUMBER) return null
  return RULES[code]?.[kind](n) ?? null
}
