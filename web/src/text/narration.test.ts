import { describe, expect, it } from 'vitest'
import { t } from '$/i18n/language.svelte'
import de from '$/i18n/de.json'
import en from '$/i18n/en.json'
import fr from '$/i18n/fr.json'
import nl from '$/i18n/nl.json'
import pl from '$/i18n/pl.json'
import { parseTowers, type BuildEntry, type LogEntry } from '$/model/event-log'
import {
  blocksText,
  cityName,
  displayNames,
  memoizeContext,
  narrate,
  narrateTallest,
  ownerName,
  ownerWithColour,
  previousOwnerName,
  shortSiteName,
  siteText,
  type NarrationContext
} from './narration'

const context: NarrationContext = {
  names: ['Ada', 'Bob'],
  colours: [['orange'], ['blue']],
  me: 0,
  cities: [...'ABCDEF'],
  side: 'south'
}
const twoColours: NarrationContext = {
  ...context,
  colours: [
    ['orange', 'blue'],
    ['yellow', 'purple']
  ]
}
const built: BuildEntry = {
  kind: 'built',
  player: 0,
  site: 'C5',
  colour: 'orange',
  floors: 3,
  takenFrom: null,
  ownFloors: 3,
  previousOwnerFloors: 0,
  heightBefore: 0,
  heightAfter: 3
}
const text = (entry: LogEntry, using = context): string => t(...narrate(using, entry))

describe('names', () => {
  it('are those of the bots, in the order of the seats', () => {
    const seats = [
      { name: 'Ada', level: null },
      { name: 'Clara', level: 'medium' }
    ]
    expect(displayNames(seats)).toEqual(['Ada', 'Clara'])
  })

  it('translate the level that is the name of a bot at an older table', () => {
    const seats = [
      { name: 'Hard 1', level: null },
      { name: 'Hard 7', level: 'hard' },
      { name: '', level: null },
      { name: 'Easy 2', level: 'easy' }
    ]
    expect(displayNames(seats)).toEqual(['Hard 1', 'Hard 1 (2)', '', 'Easy 2'])
  })

  it('get a number where several players have the same', () => {
    const seats = ['Ada', 'Bob', 'Ada', 'Ada'].map((name) => ({ name, level: null }))
    expect(displayNames(seats)).toEqual(['Ada', 'Bob', 'Ada (2)', 'Ada (3)'])
  })

  it('address the viewer', () => {
    expect([ownerName(context, 'orange'), ownerName(context, 'blue')]).toEqual(['You', 'Bob'])
    expect(ownerName({ ...context, me: null }, 'orange')).toBe('Ada')
  })

  it('add the colour where players have two', () => {
    expect(ownerName(twoColours, 'purple')).toBe('Bob (purple)')
  })

  it('name the colour once in the label of a site', () => {
    expect(ownerWithColour(context, 'orange')).toBe('You (orange)')
    expect(ownerWithColour(twoColours, 'purple')).toBe('Bob (purple)')
    expect(ownerWithColour({ ...context, names: [], me: null }, 'blue')).toBe('blue')
  })

  it('never take a tower over from "You"', () => {
    expect(previousOwnerName(twoColours, 'orange', 'blue')).toBe('blue')
    expect(previousOwnerName(twoColours, 'orange', 'purple')).toBe('Bob (purple)')
    expect(previousOwnerName({ ...twoColours, me: null }, 'yellow', 'purple')).toBe('purple')
  })
})

describe('sites', () => {
  it('have a name and a position as the viewer sees it', () => {
    expect(siteText(context, 'C1')).toBe('C1, back left')
    expect(siteText({ ...context, side: 'north' }, 'C1')).toBe('C1, front right')
  })

  it('lie in cities whose names are translated', () => {
    expect(cityName('C')).toBe('C')
    for (const [city, key] of [
      ['Hong Kong', 'city.hong_kong'],
      ['São Paulo', 'city.sao_paulo'],
      ['Cairo', 'city.cairo']
    ] as const)
      expect(cityName(city)).toBe(en[key])
    expect([de, fr, nl, pl].map((messages) => messages['city.cairo'])).toEqual([
      'Kairo',
      'Le Caire',
      'Caïro',
      'Kair'
    ])
  })

  it('are called by the city where the edition names it', () => {
    expect(shortSiteName({ ...context, cities: ['A', 'B', 'Cairo'] }, 'C5')).toBe('Cairo 5')
  })
})

it('lists the blocks of a selection, the largest first', () => {
  expect(blocksText(context, 0, [[1, 2, 4]])).toBe('4 2 1')
  expect(blocksText(twoColours, 0, [[1], [2]])).toBe('orange 1 and blue 2')
})

describe('log entries', () => {
  it('say who started, raised or took over a tower', () => {
    expect(text(built)).toBe('You started a tower on C5, centre: 3 floors.')
    expect(text({ ...built, player: 1, heightBefore: 2, heightAfter: 5 })).toBe(
      'Bob raised C5, centre, to 5.'
    )
    const takeover = {
      ...built,
      heightBefore: 2,
      takenFrom: 'blue',
      previousOwnerFloors: 2
    } as const
    expect(text(takeover)).toBe('You took over C5, centre, from Bob, 3 to 2.')
    expect(text({ ...takeover, player: 1, takenFrom: 'orange' })).toContain('from you')
  })

  it('name the colour that a player takes over from themselves', () => {
    const own = { ...built, heightBefore: 1, takenFrom: 'blue', previousOwnerFloors: 1 } as const
    expect(text(own, twoColours)).toContain('from blue')
  })

  it('have a message for every kind', () => {
    const entries: LogEntry[] = [
      { kind: 'selected', player: 0, blocks: [[1, 2]] },
      { kind: 'removed', player: 1, colour: 'blue', floors: 2 },
      { kind: 'redrew', player: 1, hand: [] },
      { kind: 'shuffled' },
      { kind: 'scored', sheet: { type: 'score', round: 2, colours: {}, scores: [] } },
      { kind: 'player_resigned', seat: 1 },
      { kind: 'time_expired', seat: 0 },
      { kind: 'player_returned', seat: 0 }
    ]
    for (const entry of entries) expect(text(entry)).toMatch(/^[A-Z].+\.$/)
  })
})

describe('the tallest towers', () => {
  const tallest = (towers: Record<string, string>): string | null => {
    const parsed = Object.entries(towers).map(([site, blocks]) => [site, { blocks }])
    const message = narrateTallest(context, parseTowers(Object.fromEntries(parsed)))
    return message && t(...message)
  }

  it('are named with their owners', () => {
    expect(tallest({})).toBeNull()
    expect(tallest({ A1: 'o3', B2: 'b2' })).toBe('3 floors on A1, You')
    expect(tallest({ A1: 'o3', B2: 'b3' })).toBe('3 floors, 2 towers: You and Bob')
    expect(tallest({ A1: 'b3', B2: 'b3' })).toBe('3 floors, 2 towers: Bob')
  })

  it('are not said to score: that depends on the edition', () => {
    for (const messages of [de, en, fr, nl, pl]) {
      expect(messages['log.tallest_shared']).toMatch(/: \{owners\}$/)
    }
  })
})

it('keeps an equal context', () => {
  const memoize = memoizeContext()
  const first = memoize(context)
  expect(memoize({ ...context })).toBe(first)
  expect(memoize({ ...context, me: 1 })).not.toBe(first)
})
