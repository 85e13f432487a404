/** Points of a score sheet, added up. */

import type { ColourScore, ScoreEvent } from '$/protocol/types.gen'

export const POINTS_PER_MAJORITY = 2

export const majorityPoints = (score: ColourScore): number =>
  POINTS_PER_MAJORITY * score.majorities.length

/** All points of a colour in a round. */
export const colourTotal = (sheet: ScoreEvent, colour: string): number => {
  const score = sheet.colours[colour]
  return score ? score.tallest + majorityPoints(score) + score.towers : 0
}
