/** Notation: sites, cards, moves and towers as records and the protocol write them. */

import type { Colour, Side } from '$/protocol/types.gen'

export const COLOUR_BY_LETTER: Record<string, Colour> = {
  o: 'orange',
  b: 'blue',
  y: 'yellow',
  p: 'purple',
  k: 'black',
  r: 'red',
  g: 'green'
}
const LETTER_BY_COLOUR = Object.fromEntries(
  Object.entries(COLOUR_BY_LETTER).map(([letter, colour]) => [colour, letter])
)
export const CITY_LETTERS = 'ABCDEF'
export const SIZES = [1, 2, 3, 4] as const
export type Size = (typeof SIZES)[number]

export interface Block {
  colour: Colour
  floors: number
}

/** Parse a tower, from bottom to top: `y1b3`. */
const parsedBlocks = new Map<string, readonly Block[]>()

/** Parse a tower, bottom to top: `y1b3`. Equal texts give the same array, so that an unchanged tower
 * compares equal. */
export function parseBlocks(text: string): readonly Block[] {
  let blocks = parsedBlocks.get(text)
  if (!blocks) {
    blocks = [...text.matchAll(/([a-z])([1-4])/g)].map(([, letter, floors]) => ({
      colour: COLOUR_BY_LETTER[letter!]!,
      floors: Number(floors)
    }))
    parsedBlocks.set(text, blocks)
  }
  return blocks
}

export type Move =
  | { kind: 'build'; site: string; size: Size; letter: string | null }
  | { kind: 'select'; blocks: Size[][] }
  | { kind: 'remove'; size: Size; letter: string | null }

/** Parse a move: `C5+3o`, `[1124|1223]`, `-2`. */
export function parseMove(text: string): Move {
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
      blocks: lists.map((list) => [...list].map((digit) => Number(digit) as Size))
    }
  }
  return { kind: 'remove', size: Number(text[1]) as Size, letter: text[2] ?? null }
}

/** The colour that a move is about; a player of one colour does not name it. */
export function colourOf(letter: string | null, colours: readonly string[]): Colour {
  return letter === null ? (colours[0] as Colour) : COLOUR_BY_LETTER[letter]!
}

/** Write the selection of a round's blocks, one list of sizes for each colour. */
export function formatSelection(blocks: readonly (readonly number[])[]): string {
  return `[${blocks.map((sizes) => [...sizes].sort().join('')).join('|')}]`
}

export const letterOf = (colour: string): string => LETTER_BY_COLOUR[colour] ?? ''

/** A site's index, 0 to 53. */
export const siteIndex = (site: string): number =>
  CITY_LETTERS.indexOf(site[0]!) * 9 + Number(site[1]) - 1
export const siteName = (index: number): string =>
  `${CITY_LETTERS[Math.floor(index / 9)]}${(index % 9) + 1}`

/** Rotate a position of a city (0 to 8 from the north-west) so that this side of the board is at the
 * bottom. A card shows a position as the player at that side sees it. */
export function rotate(position: number, side: Side): number {
  const row = Math.floor(position / 3)
  const column = position % 3
  switch (side) {
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

/** The card, 1 to 9, with which the player at a side names the site with this index. */
export const cardAt = (index: number, side: Side): number => rotate(index % 9, side) + 1

/** The card with which a player at another side names what this card names for its owner. */
export const cardSeenFrom = (card: number, owner: Side, viewer: Side): number =>
  cardAt(positionNamed(card, owner), viewer)

/** The position of a city, 0 to 8, that a card names for the player at a side. */
export const positionNamed = (card: number, side: Side): number =>
  Array.from({ length: 9 }, (_, position) => position).find(
    (position) => cardAt(position, side) === card
  )!
