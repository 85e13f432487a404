import { expect, it } from 'vitest'
import { duration } from './duration'

it.each([
  [-5, '0 seconds'],
  [1000, '1 second'],
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [59 * 60_000, '59 minutes'],
  [60 * 60_000, '1 hour'],
  [47 * 3_600_000, '47 hours'],
  [49 * 3_600_000, '2 days']
])('%i ms are %s', (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words)
})
