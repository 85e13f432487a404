import { describe, expect, it } from 'vitest'
import type { MyGame, MyGameList } from '$/protocol/types.gen'
import { compareGames, insertGame, mergeFirstPage } from './game-order'

function game(id: string, state: MyGame['state'], since: number, deadline?: number): MyGame {
  return { id, state, since, deadline: deadline ?? null } as MyGame
}
const ids = (games: readonly MyGame[]): string => games.map(({ id }) => id).join(' ')
const page = (games: MyGame[], next: string | null): MyGameList => ({ games, next }) as MyGameList

const urgent = game('urgent', 'your_turn', 9, 100)
const slow = game('slow', 'your_turn', 8, 200)
const waited = game('waited', 'your_turn', 1)
const fresh = game('fresh', 'your_turn', 7)
const running = game('running', 'running', 5)
const older = game('older', 'finished', 3)
const newer = game('newer', 'finished', 4)

describe('the order of games', () => {
  it('is by state, then by urgency or the latest first', () => {
    const sorted = [older, newer, fresh, running, waited, slow, urgent].sort(compareGames)
    expect(ids(sorted)).toBe('urgent slow waited fresh running newer older')
  })

  it('moves a changed game to its place', () => {
    const games = [urgent, running, newer]
    const moved = insertGame(games, game('running', 'your_turn', 9), {
      belongs: true,
      isLastPage: true
    })
    expect(ids(moved)).toBe('urgent running newer')
    const finished = insertGame(games, game('urgent', 'finished', 9), {
      belongs: true,
      isLastPage: true
    })
    expect(ids(finished)).toBe('running urgent newer')
    expect(ids(insertGame(games, running, { belongs: false, isLastPage: true }))).toBe(
      'urgent newer'
    )
  })

  it('leaves a game after the loaded ones to its page', () => {
    expect(ids(insertGame([newer], older, { belongs: true, isLastPage: false }))).toBe('newer')
    expect(ids(insertGame([newer], older, { belongs: true, isLastPage: true }))).toBe('newer older')
  })
})

describe('the first page', () => {
  it('replaces what it covers and keeps later pages', () => {
    const merged = mergeFirstPage(
      page([urgent, running], 'first'),
      [running, newer, older],
      'later'
    )
    expect(ids(merged.games)).toBe('urgent running newer older')
    expect(merged.next).toBe('later')
  })

  it('is all there is without a next page', () => {
    const merged = mergeFirstPage(page([urgent], null), [running, newer], 'later')
    expect(ids(merged.games)).toBe('urgent')
    expect(merged.next).toBeNull()
  })
})
