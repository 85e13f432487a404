/** A round's points as they are given on the board: the tallest tower, each city, every tower. */

import { t } from '$/i18n/language.svelte'
import type { Colour } from '$/protocol/told'
import { holder, playerOf, type Cast } from './cast'
import type { Scored } from './live.svelte'
import { ownerOf, tallest } from './story'
import { CITY_LETTERS } from './words'

export interface Award {
  colour: Colour
  points: number
}

export interface TallyStep {
  words: string
  /** The towers that count now. */
  lit: ReadonlySet<string>
  /** Points that are written on towers, and on cities. */
  towers: ReadonlyMap<string, Award>
  cities: ReadonlyMap<number, Award>
  /** What everybody has after this step. */
  scores: readonly number[]
  milliseconds: number
}

export function tally(cast: Cast, { sheet, towers }: Scored, before: readonly number[]) {
  const scores = [...before]
  const steps: TallyStep[] = []
  const add = ({ colour, points }: Award): void => {
    const player = playerOf(cast, colour)
    scores[player] = (scores[player] ?? 0) + points
  }
  const step = (one: Omit<TallyStep, 'scores'>): void =>
    void steps.push({ ...one, scores: [...scores] })
  const of = (colour: string): string[] =>
    [...towers].flatMap(([site, tower]) => (ownerOf(tower) === colour ? [site] : []))
  const colours = Object.keys(sheet.colours) as Colour[]

  const top = tallest(towers)
  const owner = colours.find((colour) => sheet.colours[colour]!.tallest)
  if (owner) {
    const award = { colour: owner, points: sheet.colours[owner]!.tallest }
    add(award)
    const sites = top.sites.filter((site) => ownerOf(towers.get(site)!) === owner)
    step({
      words: t('tally.tallest', { name: holder(cast, owner), floors: top.floors }),
      lit: new Set(sites),
      towers: new Map([[sites[0]!, award]]),
      cities: new Map(),
      milliseconds: 900
    })
  } else if (top.sites.length) {
    step({
      words: t('sheet.nobody'),
      lit: new Set(top.sites),
      towers: new Map(),
      cities: new Map(),
      milliseconds: 900
    })
  }
  for (const [city, letter] of [...CITY_LETTERS].entries()) {
    const colour = colours.find((one) => sheet.colours[one]!.majorities.includes(letter))
    if (!colour) continue
    const award = { colour, points: 2 }
    add(award)
    const lit = of(colour).filter((site) => site.startsWith(letter))
    step({
      words: t('tally.city', {
        city: cast.cities[city] ?? letter,
        name: holder(cast, colour),
        towers: lit.length
      }),
      lit: new Set(lit),
      towers: new Map(),
      cities: new Map([[city, award]]),
      milliseconds: 550
    })
  }
  const every = colours.flatMap((colour) =>
    of(colour).map((site): [string, Award] => [site, { colour, points: 1 }])
  )
  if (every.length) {
    every.forEach(([, award]) => add(award))
    step({
      words: t('tally.towers'),
      lit: new Set(towers.keys()),
      towers: new Map(every),
      cities: new Map(),
      milliseconds: 1000
    })
  }
  return steps
}
