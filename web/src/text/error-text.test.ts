import { expect, it, vi } from 'vitest'
import { language, t } from '$/i18n/language.svelte'
import { LIMITS } from '$/model/limits'
import { ApiError, SERVER_UNREACHABLE } from '$/protocol/http'
import type { Problem } from '$/protocol/types.gen'
import { errorText, reasonText } from './error-text'

it('translates a reason with its parameters', () => {
  const params = { needed: 4, colour: 'orange', given: 3 }
  expect(reasonText({ reason: 'wrong_number_of_blocks', params, text: '' })).toBe(
    'Choose 4 orange blocks, not 3.'
  )
})

it('calls a card by its position, as the hand does', () => {
  const params = { site: 'E5', card: 5 }
  expect(reasonText({ reason: 'no_such_card', params, text: '' })).toContain('“Centre”')
  const seenFromTheNorth = (card: number): number => 10 - card
  const corner = { reason: 'no_such_card', params: { site: 'E1', card: 1 }, text: '' }
  expect(reasonText(corner, seenFromTheNorth)).toContain('“Front right”')
})

it('writes a colour as a noun, with a capital letter in German', async () => {
  vi.stubGlobal('document', { documentElement: { dataset: {} } })
  await language.select('de')
  const params = { needed: 4, colour: 'blue', given: 3 }
  expect(reasonText({ reason: 'wrong_number_of_blocks', params, text: '' })).toContain('in Blau')
  await language.select('en')
  vi.unstubAllGlobals()
})

it('falls back to the text of a newer server', () => {
  expect(reasonText({ reason: 'from_the_future', params: {}, text: 'Not yet.' })).toBe('Not yet.')
  expect(reasonText({ reason: 'not_your_turn', params: {}, text: 'Wait.' })).toBe('Wait.')
})

it('explains which input was invalid', () => {
  const invalid = (params: Problem['params']): string =>
    reasonText({ reason: 'bad_request', params, text: 'Whatever the server says.' })
  expect(invalid({ path: '$.name' })).toBe(t('reason.bad_name', LIMITS))
  expect(invalid({ path: '$.seats[1].name' })).toBe(t('reason.bad_name', LIMITS))
  expect(invalid({ path: '$.clock.bank' })).toBe(t('reason.bad_clock', LIMITS))
  expect(invalid({ path: '$.seats' })).toBe(t('reason.bad_request'))
  expect(invalid({ path: '$' })).toBe(t('reason.bad_request'))
  expect(invalid({})).toBe(t('reason.bad_request'))
})

it('treats anything else as an unreachable server', () => {
  const unreachable = errorText(new ApiError(SERVER_UNREACHABLE))
  expect(errorText(new TypeError('boom'))).toBe(unreachable)
})
