/** The order of games in a list, which is that of the server. */

import type { MyGame, MyGameList } from '$/protocol/types.gen'

const STATES: readonly MyGame['state'][] = ['your_turn', 'running', 'lobby', 'finished']

/** Negative if the first game is listed before the second one. */
export function compareGames(a: MyGame, b: MyGame): number {
  const byState = STATES.indexOf(a.state) - STATES.indexOf(b.state)
  if (byState) return byState
  if (a.state !== 'your_turn') return b.since - a.since || (a.id < b.id ? 1 : -1)
  const [first, second] = [a.deadline ?? Infinity, b.deadline ?? Infinity]
  return (first === second ? a.since - b.since : first - second) || (a.id < b.id ? 1 : -1)
}

/** Put a changed game to its place, or leave it out. A game after the last one that is loaded comes
 * with its page. */
export function insertGame(
  games: readonly MyGame[],
  game: MyGame,
  { belongs, isLastPage }: { belongs: boolean; isLastPage: boolean }
): MyGame[] {
  const others = games.filter(({ id }) => id !== game.id)
  if (!belongs) return others
  const at = others.findIndex((other) => compareGames(game, other) < 0)
  if (at < 0) return isLastPage || !others.length ? [...others, game] : others
  return [...others.slice(0, at), game, ...others.slice(at)]
}

/** Replace the first page; games of later pages, and the cursor after them, stay. */
export function mergeFirstPage(
  page: MyGameList,
  loaded: readonly MyGame[],
  next: string | null
): { games: MyGame[]; next: string | null } {
  const last = page.games.at(-1)
  if (!last || page.next === null) return { games: page.games, next: null }
  const first = new Set(page.games.map(({ id }) => id))
  const later = loaded.filter((game) => !first.has(game.id) && compareGames(last, game) < 0)
  return later.length
    ? { games: [...page.games, ...later], next }
    : { games: page.games, next: page.next }
}
