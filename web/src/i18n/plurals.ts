/** The plural forms of small whole numbers in the page's languages. A browser knows them, too, but a
 * phone that is asked for the first time thinks for a tenth of a second, in which it shows nothing;
 * a test compares them with what the browser knows. */

export type Kind = 'cardinal' | 'ordinal'
type Form = (n: number) => Intl.LDMLPluralRule

const LARGEST = 999

const single: Form = (n) => (n === 1 ? 'one' : 'other')
const always: Form = () => 'other'
/** Is the last figure within these, and the number not in the same of the teens? */
const ends = (n: number, from: number, to: number): boolean =>
  n % 10 >= from && n % 10 <= to && Math.floor((n % 100) / 10) !== 1

const FORMS: Record<string, Record<Kind, Form>> = {
  en: {
    cardinal: single,
    ordinal: (n) =>
      ends(n, 1, 1) ? 'one' : ends(n, 2, 2) ? 'two' : ends(n, 3, 3) ? 'few' : 'other'
  },
  de: { cardinal: single, ordinal: always },
  fr: { cardinal: (n) => (n < 2 ? 'one' : 'other'), ordinal: single },
  nl: { cardinal: single, ordinal: always },
  pl: {
    cardinal: (n) => (n === 1 ? 'one' : ends(n, 2, 4) ? 'few' : 'many'),
    ordinal: always
  }
}

/** The form, or null for numbers and languages that we leave to the browser. */
export function plural(code: string, kind: Kind, n: number): Intl.LDMLPluralRule | null {
  if (!Number.isInteger(n) || n < 0 || n > LARGEST) return null
  return FORMS[code]?.[kind](n) ?? null
}
