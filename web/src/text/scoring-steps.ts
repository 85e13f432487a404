/** The scoring of a round as steps of an animation: the tallest tower, each city, every tower. */

import { t } from '$/i18n/language.svelte'
import { ownerOf, tallestTowers } from '$/model/event-log'
import { CITY_LETTERS } from '$/model/notation'
import type { ScoredRound } from '$/model/position'
import { POINTS_PER_MAJORITY } from '$/model/score'
import type { Colour } from '$/protocol/types.gen'
import { ownerName, playerOfColour, type NarrationContext } from './narration'

export interface Award {
  colour: Colour
  points: number
}

export interface ScoringStep {
  text: string
  /** The towers that count in this step. */
  highlighted: ReadonlySet<string>
  /** Points to write on towers and on cities. */
  towers: ReadonlyMap<string, Award>
  cities: ReadonlyMap<number, Award>
  /** The scores of all players after this step. */
  scores: readonly number[]
  milliseconds: number
}

export function scoringSteps(
  context: NarrationContext,
  { sheet, towers }: ScoredRound,
  scoresBefore: readonly number[]
): ScoringStep[] {
  const scores = [...scoresBefore]
  const steps: ScoringStep[] = []
  const addPoints = ({ colour, points }: Award): void => {
    const player = playerOfColour(context, colour)
    scores[player] = (scores[player] ?? 0) + points
  }
  const addStep = (step: Pick<ScoringStep, 'text' | 'milliseconds'> & Partial<ScoringStep>): void =>
    void steps.push({
      highlighted: new Set(),
      towers: new Map(),
      cities: new Map(),
      scores: [...scores],
      ...step
    })
  const sitesOf = (colour: string): string[] =>
    [...towers].flatMap(([site, tower]) => (ownerOf(tower) === colour ? [site] : []))
  const colours = Object.keys(sheet.colours) as Colour[]

  const tallest = tallestTowers(towers)
  const winner = colours.find((colour) => sheet.colours[colour]!.tallest)
  if (winner) {
    const award = { colour: winner, points: sheet.colours[winner]!.tallest }
    addPoints(award)
    const sites = tallest.sites.filter((site) => ownerOf(towers.get(site)!) === winner)
    addStep({
      text: t('scoring.tallest', { name: ownerName(context, winner), floors: tallest.floors }),
      highlighted: new Set(sites),
      towers: new Map([[sites[0]!, award]]),
      milliseconds: 900
    })
  } else if (tallest.sites.length) {
    addStep({
      text: t('sheet.tallest_tied'),
      highlighted: new Set(tallest.sites),
      milliseconds: 900
    })
  }
  for (const [city, letter] of [...CITY_LETTERS].entries()) {
    const colour = colours.find((owner) => sheet.colours[owner]!.majorities.includes(letter))
    if (!colour) continue
    const award = { colour, points: POINTS_PER_MAJORITY }
    addPoints(award)
    const sites = sitesOf(colour).filter((site) => site.startsWith(letter))
    addStep({
      text: t('scoring.city', {
        city: context.cities[city] ?? letter,
        name: ownerName(context, colour),
        towers: sites.length
      }),
      highlighted: new Set(sites),
      cities: new Map([[city, award]]),
      milliseconds: 550
    })
  }
  const awards = colours.flatMap((colour) =>
    sitesOf(colour).map((site): [string, Award] => [site, { colour, points: 1 }])
  )
  if (awards.length) {
    awards.forEach(([, award]) => addPoints(award))
    addStep({
      text: t('scoring.towers'),
      highlighted: new Set(towers.keys()),
      towers: new Map(awards),
      milliseconds: 1000
    })
  }
  return steps
}
