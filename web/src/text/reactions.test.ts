import { expect, it } from 'vitest'
import { chatText, reactionCode } from './reactions'

it('shows a reaction in words', () => {
  expect(chatText(reactionCode('good_game'))).toBe('Good game!')
})

it.each(['Hello', ':unknown:', 'I like :thanks:', ''])('leaves %j as it is', (text) => {
  expect(chatText(text)).toBe(text)
})
