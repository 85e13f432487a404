import { beforeEach, describe, expect, it } from 'vitest'
import type { PlayerState } from '$/protocol/types.gen'
import { MoveSelection, toPlacements } from './move-selection.svelte'

/** Cards 1, 5, 5 and 9; blocks of one and three floors. */
const playerState: PlayerState = {
  player: 0,
  hand: [1, 5, 5, 9],
  moves: {
    kind: 'build',
    placements: [
      { sites: ['A1', 'B5'], blocks: ['1', '3'], takes_from: null, gains: [[1], [1]] },
      { sites: ['A5'], blocks: ['3'], takes_from: 'blue', gains: [[2]] }
    ]
  }
}
const ONE = { colour: 'orange', size: 1 } as const
const THREE = { colour: 'orange', size: 3 } as const

let selection: MoveSelection
beforeEach(() => {
  selection = new MoveSelection()
  selection.reset(playerState, ['orange'], 'south')
})

it('lists a placement for each legal move', () => {
  const moves = playerState.moves
  expect(moves?.kind === 'build' && toPlacements(moves, ['orange'], 'south').at(-1)).toEqual({
    move: 'A5+3',
    site: 'A5',
    card: 5,
    colour: 'orange',
    size: 3,
    takesFrom: 'blue',
    gains: [2]
  })
})

it('asks about the picked block, or the largest one that the player has', () => {
  const tableaus = { orange: [2, 0, 1, 0], blue: [1, 0, 0, 0] }
  expect(selection.moveToExplain('C9', ['orange'], tableaus)).toBe('C9+3')
  selection.pickBlock(ONE)
  expect(selection.moveToExplain('C9', ['orange'], tableaus)).toBe('C9+1')
  expect(selection.moveToExplain('C9', ['orange', 'blue'], tableaus)).toBe('C9+1o')
})

describe('a selection', () => {
  it('opens everything while nothing is picked', () => {
    expect([...selection.openSites]).toEqual(['A1', 'B5', 'A5'])
    expect([...selection.playableCards]).toEqual([1, 5])
    expect([...selection.playableBlocks]).toEqual(['orange1', 'orange3'])
    expect(selection.placement).toBeNull()
  })

  it('narrows down with each pick, in any order', () => {
    selection.pickBlock(ONE)
    expect([...selection.openSites]).toEqual(['A1', 'B5'])
    selection.pickCard(1)
    expect([...selection.openSites]).toEqual(['B5'])
    expect(selection.pickSite('B5')?.move).toBe('B5+1')
  })

  it('picks the card with the site', () => {
    selection.pickSite('B5')
    expect([selection.card, selection.handIndex]).toEqual([5, 1])
  })

  it('keeps the second of two equal cards', () => {
    selection.pickCard(2)
    selection.pickSite('B5')
    expect(selection.handIndex).toBe(2)
  })

  it('picks the only block that fits a site', () => {
    expect(selection.pickSite('A5')?.move).toBe('A5+3')
    expect(selection.block).toEqual(THREE)
    selection.clear()
    expect(selection.pickSite('A1')).toBeNull()
    expect(selection.block).toBeNull()
  })

  it('puts a card or a block back when it is picked again', () => {
    selection.pickCard(0)
    selection.pickCard(0)
    expect(selection.card).toBeNull()
    selection.pickBlock(ONE)
    selection.pickBlock(ONE)
    expect(selection.block).toBeNull()
  })

  it('drops what no longer goes with a new pick', () => {
    selection.pickSite('A5') // with the block of three floors and card 5
    selection.pickCard(0)
    expect(selection.site).toBeNull()
    selection.clear()
    selection.pickSite('A5')
    selection.pickBlock(ONE)
    expect([selection.site, selection.card]).toEqual([null, 5])
  })

  it('drops a card with which a new block cannot be built', () => {
    selection.pickCard(3) // card 9 names no open site
    selection.pickBlock(ONE)
    expect([selection.card, selection.block]).toEqual([null, ONE])
  })

  it('describes what would be built at a site', () => {
    expect(selection.placementAt('A5')?.move).toBe('A5+3') // the only block that fits
    expect(selection.placementAt('A1')).toBeNull() // two blocks fit
    selection.pickBlock(ONE)
    expect(selection.placementAt('A1')?.move).toBe('A1+1')
    expect(selection.placementAt('A5')).toBeNull()
  })

  it('knows the sites that the card names from the side of the player', () => {
    selection.pickCard(0)
    expect(selection.isNamedByCard(0)).toBe(true)
    selection.reset(playerState, ['orange'], 'north')
    selection.pickCard(0)
    expect([selection.isNamedByCard(0), selection.isNamedByCard(8)]).toEqual([false, true])
  })
})

describe('a press on a site', () => {
  it('does nothing out of turn', () => {
    selection.reset(null, ['orange'], 'south')
    expect(selection.isActive).toBe(false)
    expect(selection.press('A1', false)).toBeNull()
  })

  it('is barred where nothing can be built', () => {
    expect(selection.press('C1', false)).toBe('barred')
  })

  it('builds at once without confirmation, as soon as the move is complete', () => {
    selection.pickBlock(ONE)
    expect(selection.press('A1', false)).toBe('build')
  })

  it('builds at the second press with confirmation', () => {
    selection.pickBlock(ONE)
    expect(selection.press('A1', true)).toBeNull()
    expect(selection.press('A1', true)).toBe('build')
  })

  it('waits for the block where several fit', () => {
    expect(selection.press('A1', false)).toBeNull()
    expect(selection.press('A1', false)).toBeNull()
    selection.pickBlock(THREE)
    expect(selection.press('A1', false)).toBe('build')
  })
})

it('forgets its picks in a new turn', () => {
  selection.pickSite('A5')
  selection.reset(playerState, ['orange'], 'south')
  expect([selection.card, selection.block, selection.site]).toEqual([null, null, null])
})
