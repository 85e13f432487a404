/** Durations in words, in their largest unit: 40 seconds, 5 minutes, 3 hours, 2 days. */

import { number } from '$/i18n/language.svelte'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNITS = [
  ['day', DAY, 2 * DAY],
  ['hour', HOUR, HOUR],
  ['minute', MINUTE, MINUTE],
  ['second', SECOND, 0]
] as const

/** A duration in milliseconds; hours up to two days, for people to see it go on. */
export function duration(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, , from]) => milliseconds >= from) ?? UNITS[3]
  const count = Math.max(0, Math.floor(milliseconds / size))
  return number(count, { style: 'unit', unit, unitDisplay: 'long' })
}
