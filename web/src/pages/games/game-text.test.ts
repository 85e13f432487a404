import { describe, expect, it } from 'vitest'
import type { MyGame } from '$/protocol/types.gen'
import { dayText, leadText, opponentNames, playerNames, statusText, timeLeft } from './game-text'

const NOW = new Date(2026, 10, 18, 20, 0).getTime()
const HOUR = 3_600_000

function player(name: string, more: object = {}): object {
  return {
    name,
    level: null,
    open: false,
    colours: [],
    you: false,
    points: 0,
    place: null,
    ...more
  }
}
function game(more: object): MyGame {
  return { id: 't', state: 'running', mover: null, players: [], ...more } as unknown as MyGame
}

describe('a game in words', () => {
  it('calls the visitor "You" and bots of older tables by their level', () => {
    const players = [player('Ada', { you: true }), player('Hard 1', { level: 'hard' })]
    expect(playerNames(game({ players }))).toEqual(['You', 'Hard 1'])
    expect(opponentNames(game({ players }))).toBe('Hard 1')
    expect(statusText(game({ players, mover: 1 }))).toBe('Hard 1 to move')
  })

  it('names bots with their level among the opponents', () => {
    const players = [
      player('Ada', { you: true }),
      player('Bob'),
      player('Lotte', { level: 'easy' }),
      player('', { open: true })
    ]
    expect(opponentNames(game({ players }))).toBe('Bob, Lotte (Easy), Open seat')
    expect(playerNames(game({ players }))).toEqual(['You', 'Bob', 'Lotte', 'Open seat'])
  })

  it('names all players of a shared screen', () => {
    const players = [player('Ada', { you: true, place: 2 }), player('Bea', { you: true, place: 1 })]
    expect(opponentNames(game({ players }))).toBe('Ada, Bea')
    expect(statusText(game({ players, state: 'finished' }))).toBe('Bea won')
  })

  it('says that a game was closed without a result', () => {
    const players = [player('Ada', { you: true }), player('Bob')]
    expect(statusText(game({ state: 'finished', players }))).toBe('Game closed')
  })

  it('tells the place', () => {
    const own = (place: number, others: number[]): string =>
      statusText(
        game({
          state: 'finished',
          players: [
            player('Ada', { you: true, place }),
            ...others.map((each) => player('Bob', { place: each }))
          ]
        })
      )
    expect(own(2, [1, 3])).toBe('2nd of 3')
    expect(own(1, [1, 3])).toBe('1st, shared')
  })

  it('tells the time left in one unit', () => {
    expect(timeLeft(NOW + 5000, NOW)).toBe('1 minute left')
    expect(timeLeft(NOW - 5000, NOW)).toBe('1 minute left')
    expect(timeLeft(NOW + 90 * 60_000, NOW)).toBe('1 hour left')
    expect(timeLeft(NOW + 47 * HOUR, NOW)).toBe('47 hours left')
    expect(timeLeft(NOW + 50 * HOUR, NOW)).toBe('2 days left')
  })

  it('tells the day', () => {
    expect(dayText(NOW - HOUR, NOW)).toMatch(/^Today, 0?7:00/)
    expect(dayText(NOW - 23 * HOUR, NOW)).toBe('Yesterday')
    expect(dayText(NOW - 3 * 24 * HOUR, NOW)).toBe('Sunday')
    expect(dayText(NOW - 30 * 24 * HOUR, NOW)).toBe('October 19')
    expect(dayText(NOW - 400 * 24 * HOUR, NOW)).toBe('October 14, 2025')
  })

  it('tells the leads', () => {
    expect(leadText([2, 0, -1])).toBe('round 1: 2 ahead; round 2: level; round 3: 1 behind')
  })
})
