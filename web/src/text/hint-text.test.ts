import { describe, expect, it } from 'vitest'
import type { HintResponse } from '$/protocol/types.gen'
import { hintText } from './hint-text'
import type { NarrationContext } from './narration'

const context: NarrationContext = {
  names: ['Ada', 'Bob', 'Cyd'],
  colours: [['orange'], ['blue'], ['yellow']],
  me: null, // a shared screen
  cities: ['Sydney', 'Manhattan', 'Frankfurt', 'Hong Kong', 'São Paulo', 'Cairo'],
  side: 'south'
}
const reason = (
  kind: HintResponse['reasons'][number]['kind'],
  colour: string | null = null,
  city: string | null = null
): HintResponse['reasons'][number] => ({ kind, colour, city })

describe('a hint in words', () => {
  it('says the two best reasons and what changes', () => {
    const hint = {
      move: 'C5+3',
      reasons: [
        reason('wins_tallest', 'blue'),
        reason('wins_majority', 'blue', 'C'),
        reason('takes_tower', 'blue')
      ],
      gains: [6, -6, 0]
    }
    expect(hintText(context, hint, 0)).toBe(
      'You get the tallest tower. You win the majority in Frankfurt. ' +
        'As things stand: you +6 and Bob -6.'
    )
  })

  it('names what only the others lose', () => {
    const hint = {
      move: 'C5+3',
      reasons: [reason('ends_tallest', 'yellow'), reason('ends_majority', 'blue', 'F')],
      gains: [0, -2, -3]
    }
    expect(hintText(context, hint, 0)).toBe(
      'You draw level with Cyd for the tallest tower. Bob loses the majority in Cairo. ' +
        'As things stand: Bob -2 and Cyd -3.'
    )
  })

  it('says so if no points change', () => {
    const hint = { move: 'C5+3', reasons: [reason('raises_tower')], gains: [0, 0, 0] }
    expect(hintText(context, hint, 0)).toBe(
      'Your tower gets harder to take over. It prepares later gains.'
    )
  })

  it('names a colour of the player by the colour alone', () => {
    const two = {
      ...context,
      names: ['Ada', 'Bob'],
      colours: [
        ['orange', 'blue'],
        ['yellow', 'purple']
      ]
    }
    const hint = { move: 'C5+3o', reasons: [reason('takes_tower', 'blue')], gains: [0, 0] }
    expect(hintText(two, hint, 0)).toContain('You take over the tower from blue.')
    const remove = { move: '-2b', reasons: [reason('least_needed')], gains: [] }
    expect(hintText(two, remove, 0)).toBe('Take out blue 2 floors: you need it least.')
  })

  it('speaks of selections without points', () => {
    const hint = { move: '[112234]', reasons: [reason('strong_selection')], gains: [] }
    expect(hintText(context, hint, 0)).toBe('Blocks like these did best in many games.')
  })
})
