import { describe, expect, it } from 'vitest'
import type { Side } from '$/protocol/types.gen'
import {
  cardAt,
  colourOf,
  formatSelection,
  parseBlocks,
  parseMove,
  positionNamed,
  rotate,
  siteIndex,
  siteName
} from './notation'

const SIDES: Side[] = ['south', 'west', 'north', 'east']
const POSITIONS = [0, 1, 2, 3, 4, 5, 6, 7, 8]

describe('moves', () => {
  it('parses a build with and without a colour', () => {
    expect(parseMove('C5+3')).toEqual({ kind: 'build', site: 'C5', size: 3, letter: null })
    expect(parseMove('F9+1k')).toEqual({ kind: 'build', site: 'F9', size: 1, letter: 'k' })
  })

  it('parses a selection for one and for two colours', () => {
    expect(parseMove('[112234]')).toEqual({ kind: 'select', blocks: [[1, 1, 2, 2, 3, 4]] })
    expect(parseMove('[1124|1223]')).toEqual({
      kind: 'select',
      blocks: [
        [1, 1, 2, 4],
        [1, 2, 2, 3]
      ]
    })
  })

  it('parses a removal', () => {
    expect(parseMove('-2')).toEqual({ kind: 'remove', size: 2, letter: null })
    expect(parseMove('-4b')).toEqual({ kind: 'remove', size: 4, letter: 'b' })
  })

  it('writes a selection with ascending sizes', () => {
    expect(
      formatSelection([
        [4, 1, 2, 1],
        [3, 2, 2, 1]
      ])
    ).toBe('[1124|1223]')
  })

  it('finds the colour of a move', () => {
    expect(colourOf(null, ['red'])).toBe('red')
    expect(colourOf('k', ['black', 'green'])).toBe('black')
  })
})

it('parses a tower from bottom to top', () => {
  expect(parseBlocks('y1b3')).toEqual([
    { colour: 'yellow', floors: 1 },
    { colour: 'blue', floors: 3 }
  ])
  expect(parseBlocks('')).toEqual([])
})

it('converts between the names and the indices of all sites', () => {
  const names = Array.from({ length: 54 }, (_, index) => siteName(index))
  expect(new Set(names).size).toBe(54)
  expect(names.map(siteIndex)).toEqual(names.map((_, index) => index))
  expect([names[0], names[53]]).toEqual(['A1', 'F9'])
})

describe('rotation', () => {
  it('shows the board as each side sees it', () => {
    // The north-west corner is far left for the south, and near left for the west.
    expect(SIDES.map((side) => rotate(0, side))).toEqual([0, 6, 8, 2])
  })

  it('keeps the centre and loses no position', () => {
    for (const side of SIDES) {
      expect(rotate(4, side)).toBe(4)
      expect(new Set(POSITIONS.map((position) => rotate(position, side))).size).toBe(9)
    }
  })

  it('is inverted by the position that a card names', () => {
    for (const side of SIDES)
      for (const position of POSITIONS)
        expect(positionNamed(cardAt(position, side), side)).toBe(position)
  })
})
