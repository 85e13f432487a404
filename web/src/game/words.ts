/** Sites, cards, moves and towers, as records and the protocol write them. */

import type { Colour, Seat } from '$/protocol/told'

export const LETTERS: Record<string, Colour> = {
  o: 'orange',
  b: 'blue',
  y: 'yellow',
  p: 'purple',
  k: 'black',
  r: 'red',
  g: 'green'
}
const LETTER_OF = Object.fromEntries(
  Object.entries(LETTERS).map(([letter, colour]) => [colour, letter])
)
export const CITY_LETTERS = 'ABCDEF'
export const SIZES = [1, 2, 3, 4] as const
export type Size = (typeof SIZES)[number]

export interface Block {
  colour: Colour
  floors: number
}

/** `y1b3`, from bottom to top. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/([a-z])([1-4])/g)].map(([, letter, floors]) => ({
    colour: LETTERS[letter!]!,
    floors: Number(floors)
  }))
}

export type Move =
  | { kind: 'build'; site: string; size: Size; letter: string | null }
  | { kind: 'select'; blocks: Size[][] }
  | { kind: 'remove'; size: Size; letter: string | null }

/** `C5+3o`, `[1124|1223]`, `-2`. */
export function readMove(text: string): Move {
  const build = /^([A-F][1-9])\+([1-4])([a-z])?$/.exec(text)
  if (build)
    return {
      kind: 'build',
      site: build[1]!,
      size: Number(build[2]) as Size,
      letter: build[3] ?? null
    }
  if (text.startsWith('[')) {
    const lists = text.slice(1, -1).split('|')
    return {
      kind: 'select',
      blocks: lists.map((list) => [...list].map((one) => Number(one) as Size))
    }
  }
  return { kind: 'remove', size: Number(text[1]) as Size, letter: text[2] ?? null }
}

/** Which of a player's colours a move is about. */
export function colourOf(letter: string | null, own: readonly string[]): Colour {
  return letter === null ? (own[0] as Colour) : LETTERS[letter]!
}

export function selectText(blocks: readonly (readonly number[])[]): string {
  return `[${blocks.map((sizes) => [...sizes].sort().join('')).join('|')}]`
}

export const letterOf = (colour: string): string => LETTER_OF[colour] ?? ''

/** A site, or its index 0 to 53. */
export const siteIndex = (site: string): number =>
  CITY_LETTERS.indexOf(site[0]!) * 9 + Number(site[1]) - 1
export const siteName = (index: number): string =>
  `${CITY_LETTERS[Math.floor(index / 9)]}${(index % 9) + 1}`

/** Where a position of a city (0 to 8 from the north-west) lies for who sits at a side: the page
 * turns the table so that he is at the bottom. What a card shows is what he sees. */
export function turned(position: number, seat: Seat): number {
  const row = Math.floor(position / 3)
  const column = position % 3
  switch (seat) {
    case 'south':
      return position
    case 'west':
      return (2 - column) * 3 + row
    case 'north':
      return 8 - position
    case 'east':
      return column * 3 + (2 - row)
  }
}

/** The card that names a position, 1 to 9, is the position as its owner sees it. */
export const cardAt = (index: number, seat: Seat): number => turned(index % 9, seat) + 1
