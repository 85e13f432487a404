/** The public position of a game, which updates change piece by piece. */

import type { Position, PositionPatch, ScoreEvent } from '$/protocol/types.gen'
import type { Towers } from './event-log'

/** A scored round, with the board as it stood then. */
export interface ScoredRound {
  sheet: ScoreEvent
  towers: Towers
}

/** The position after an update; a tower that is null in the patch is gone. */
export function applyPatch(before: Position | null, patch: PositionPatch): Position {
  const all = Object.entries({ ...before?.towers, ...patch.towers })
  const towers = Object.fromEntries(all.filter(([, tower]) => tower))
  return { ...before, ...patch, towers } as Position
}
