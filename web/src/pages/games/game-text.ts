/** A game of a list in words. */

import { language, t } from '$/i18n/language.svelte'
import type { MyGame } from '$/protocol/types.gen'
import { displayNames, namesWithLevels } from '$/text/narration'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** The title of a tab, with the number of games that wait for the visitor. */
export function titleText(title: string, waiting: number): string {
  return waiting ? `(${waiting}) ${title}` : title
}

/** The names of all players; the visitor is "You", unless several people share the screen. */
export function playerNames(game: MyGame, namesOf = displayNames): string[] {
  const shared = game.players.filter(({ you }) => you).length > 1
  return namesOf(game.players).map((name, n) => {
    const player = game.players[n]!
    if (player.open) return t('lobby.open')
    return player.you && !shared ? t('you') : name
  })
}

/** The names of the others, bots with their level; or of everyone at a shared screen. */
export function opponentNames(game: MyGame): string {
  const names = playerNames(game, namesWithLevels)
  const others = names.filter((_, n) => !game.players[n]!.you)
  return (others.length ? others : names).join(', ')
}

/** What happens in a running game, or the result of a finished one. */
export function statusText(game: MyGame): string {
  switch (game.state) {
    case 'your_turn':
      return t('dock.your_turn')
    case 'lobby':
      return t('home.lobby')
    case 'running':
      return game.mover === null
        ? ''
        : t('games.to_move', { name: playerNames(game)[game.mover] ?? '' })
    case 'finished':
      return resultText(game)
  }
}

function resultText(game: MyGame): string {
  const own = game.players.filter(({ you }) => you)
  const players = game.players.length
  if (game.players.every(({ place }) => place === null)) return t('table.abandoned')
  if (own.length !== 1) {
    const winners = playerNames(game).filter((_, n) => game.players[n]!.place === 1)
    return t('games.winners', { names: winners.join(', '), count: winners.length })
  }
  const place = own[0]!.place ?? players
  const shared = game.players.filter((player) => player.place === place).length > 1
  return t(shared ? 'games.place_shared' : 'games.place', { place, players })
}

/** The time that the visitor has left, in one unit. */
export function timeLeft(deadline: number, now: number): string {
  const left = Math.max(0, deadline - now)
  if (left >= 2 * DAY_MS) return t('games.days_left', { days: Math.floor(left / DAY_MS) })
  if (left >= 60 * MINUTE_MS)
    return t('games.hours_left', { hours: Math.floor(left / (60 * MINUTE_MS)) })
  return t('games.minutes_left', { minutes: Math.max(1, Math.floor(left / MINUTE_MS)) })
}

/** The day of a moment: today with the time, yesterday, a weekday, or the date. */
export function dayText(at: number, now: number): string {
  const startOfDay = (moment: number): number => new Date(moment).setHours(0, 0, 0, 0)
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS)
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(language.code, options).format(at)
  if (days <= 1) {
    const word = new Intl.RelativeTimeFormat(language.code, { numeric: 'auto' }).format(
      -Math.max(days, 0),
      'day'
    )
    const day = word.charAt(0).toLocaleUpperCase(language.code) + word.slice(1)
    return days === 1 ? day : `${day}, ${format({ hour: '2-digit', minute: '2-digit' })}`
  }
  if (days < 7) {
    const day = format({ weekday: 'long' })
    return day.charAt(0).toLocaleUpperCase(language.code) + day.slice(1)
  }
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return format({ day: 'numeric', month: 'long', ...(sameYear ? {} : { year: 'numeric' }) })
}

/** The leads of all rounds, for people who don't see the bars. */
export function leadText(leads: readonly number[]): string {
  return leads
    .map((lead, n) => {
      const values = { round: n + 1, points: Math.abs(lead) }
      return t(lead > 0 ? 'games.ahead' : lead < 0 ? 'games.behind' : 'games.level', values)
    })
    .join('; ')
}
