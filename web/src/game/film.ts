/** A saved game, made ready to be looked at move by move. */

import type { Colour, EventTold, ResultTold, ScoreTold, Seat } from '$/protocol/told'
import { Story, type Line, type Towers } from './story'
import { colourOf, readMove } from './words'

export interface Saved {
  edition: string
  players: { name: string; seat: Seat; colours: Colour[] }[]
  first: number
  seed: string | null
  commitment: string | null
  deck: number[] | null
  events: EventTold[]
  result: ResultTold | null
}

/** The game at one moment. */
export interface Frame {
  round: number
  /** How much has happened up to here. */
  lines: number
  towers: Towers
  tableaus: Record<string, number[]>
  scores: number[]
  /** Everybody's cards; null where the record keeps them to itself. */
  hands: number[][] | null
  /** The round's sheet, if this move ended it. */
  sheet: ScoreTold | null
  last: string | null
  /** Who has just moved. */
  mover: number | null
}

export interface Film {
  saved: Saved
  lines: Line[]
  frames: Frame[]
  sheets: ScoreTold[]
  blocks: number
  rounds: number
  /** The first frame of each round. */
  beginnings: number[]
}

function dealt(saved: Saved): number[][] | null {
  if (!saved.deck) return null
  const count = saved.players.length
  return saved.players.map((_, player) => {
    const turn = (player - saved.first + count) % count
    return saved.deck!.slice(4 * turn, 4 * turn + 4).sort((a, b) => a - b)
  })
}

const STILL = { sheet: null, last: null, mover: null }

export function film(saved: Saved): Film {
  const colours = saved.players.map((player) => player.colours)
  const story = new Story(colours)
  const sheets: ScoreTold[] = []
  let frame: Frame = {
    ...STILL,
    round: 1,
    lines: 0,
    towers: new Map(),
    tableaus: Object.fromEntries(colours.flat().map((colour) => [colour, [0, 0, 0, 0]])),
    scores: saved.players.map(() => 0),
    hands: dealt(saved)
  }
  const frames = [frame]
  const beginnings = [0]
  let blocks = 0
  for (const event of saved.events) {
    story.tell(event)
    if (event.type === 'select') blocks ||= (/^\[([1-4]+)/.exec(event.move)?.[1] ?? '').length
    if (event.type === 'score') {
      sheets.push(event)
      frame = { ...frame, scores: event.scores, sheet: event, lines: story.lines.length }
      frames[frames.length - 1] = frame
      beginnings.push(frames.length - 1)
    } else if (event.type === 'redraw') {
      frame = { ...frame, hands: redrawn(frame.hands, event), lines: story.lines.length }
      frames[frames.length - 1] = frame
    } else if (event.type !== 'shuffle') {
      frame = moved(frame, event, colours, story, sheets.length + 1)
      frames.push(frame)
    }
  }
  if (saved.result) beginnings.pop()
  return {
    saved,
    lines: story.lines,
    frames,
    sheets,
    blocks,
    rounds: Math.max(1, beginnings.length),
    beginnings
  }
}

type Decision = Extract<EventTold, { move: string }>

function moved(
  before: Frame,
  event: Decision,
  colours: Colour[][],
  story: Story,
  round: number
): Frame {
  const move = readMove(event.move)
  const own = colours[event.player]!
  const tableaus = { ...before.tableaus }
  let { hands } = before
  if (move.kind === 'select') {
    move.blocks.forEach((sizes, n) => {
      tableaus[own[n]!] = [1, 2, 3, 4].map((size) => sizes.filter((one) => one === size).length)
    })
  } else {
    const colour = colourOf(move.letter, own)
    tableaus[colour] = (tableaus[colour] ?? []).map((many, n) =>
      n === move.size - 1 ? many - 1 : many
    )
    if (event.type === 'build' && hands)
      hands = changed(hands, event.player, [event.card], [event.drew])
  }
  return {
    ...before,
    ...STILL,
    round,
    tableaus,
    hands,
    lines: story.lines.length,
    towers: new Map(story.towers),
    last: move.kind === 'build' ? move.site : null,
    mover: event.player
  }
}

function redrawn(
  hands: number[][] | null,
  event: Extract<EventTold, { type: 'redraw' }>
): number[][] | null {
  return hands && changed(hands, event.player, event.hand, event.drew ?? [])
}

function changed(
  hands: number[][],
  player: number,
  gone: number[],
  come: (number | undefined)[]
): number[][] {
  return hands.map((hand, n) => {
    if (n !== player) return hand
    const left = [...hand]
    for (const card of gone) left.splice(left.indexOf(card), 1)
    return [...left, ...come.filter((card) => card !== undefined)].sort((a, b) => a - b)
  })
}
