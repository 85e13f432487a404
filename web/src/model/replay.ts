/** Replay: a saved game as a list of frames, one for each move. */

import type { Colour, GameEvent, GameResult, ScoreEvent, Side } from '$/protocol/types.gen'
import { EventLog, type LogEntry, type Towers } from './event-log'
import { colourOf, parseMove, SIZES } from './notation'

/** A saved game (docs/reference/record.md). */
export interface GameRecord {
  edition: string
  players: { name: string; side: Side; colours: Colour[] }[]
  first: number
  seed: string | null
  commitment: string | null
  server_seed?: string | null
  nonces?: (string | null)[]
  deck: number[] | null
  events: GameEvent[]
  result: GameResult | null
}

/** The game after a move. */
export interface ReplayFrame {
  round: number
  /** The number of log entries up to here. */
  entryCount: number
  towers: Towers
  tableaus: Record<string, number[]>
  scores: number[]
  /** The cards of every player; null where the record does not contain the deck. */
  hands: number[][] | null
  /** The round's score sheet, if this move ended the round. */
  sheet: ScoreEvent | null
  /** The site of this build. */
  lastSite: string | null
  /** The player who made this move. */
  mover: number | null
}

export interface Replay {
  record: GameRecord
  entries: LogEntry[]
  frames: ReplayFrame[]
  sheets: ScoreEvent[]
  /** The number of blocks of each colour in a round. */
  blocks: number
  rounds: number
  /** The first frame of each round. */
  roundStarts: number[]
}

function dealHands(record: GameRecord): number[][] | null {
  if (!record.deck) return null
  const count = record.players.length
  return record.players.map((_, player) => {
    const turn = (player - record.first + count) % count
    return record.deck!.slice(4 * turn, 4 * turn + 4).sort((a, b) => a - b)
  })
}

const NO_MOVE = { sheet: null, lastSite: null, mover: null }

export function buildReplay(record: GameRecord): Replay {
  const colours = record.players.map((player) => player.colours)
  const eventLog = new EventLog(colours)
  const sheets: ScoreEvent[] = []
  let frame: ReplayFrame = {
    ...NO_MOVE,
    round: 1,
    entryCount: 0,
    towers: new Map(),
    tableaus: Object.fromEntries(colours.flat().map((colour) => [colour, [0, 0, 0, 0]])),
    scores: record.players.map(() => 0),
    hands: dealHands(record)
  }
  const frames = [frame]
  const roundStarts = [0]
  let blocks = 0
  for (const event of record.events) {
    eventLog.add(event)
    const entryCount = eventLog.entries.length
    if (event.type === 'select') blocks ||= (/^\[([1-4]+)/.exec(event.move)?.[1] ?? '').length
    if (event.type === 'score') {
      sheets.push(event)
      frame = { ...frame, scores: event.scores, sheet: event, entryCount }
      frames[frames.length - 1] = frame
      roundStarts.push(frames.length - 1)
    } else if (event.type === 'redraw') {
      const hands = frame.hands && exchange(frame.hands, event.player, event.hand, event.drew ?? [])
      frame = { ...frame, hands, entryCount }
      frames[frames.length - 1] = frame
    } else if (event.type !== 'shuffle') {
      const towers = new Map(eventLog.towers)
      frame = { ...afterMove(frame, event, colours), round: sheets.length + 1, towers, entryCount }
      frames.push(frame)
    }
  }
  if (record.result) roundStarts.pop()
  return {
    record,
    entries: eventLog.entries,
    frames,
    sheets,
    blocks,
    rounds: Math.max(1, roundStarts.length),
    roundStarts
  }
}

type MoveEvent = Extract<GameEvent, { move: string }>

function afterMove(before: ReplayFrame, event: MoveEvent, colours: Colour[][]): ReplayFrame {
  const move = parseMove(event.move)
  const own = colours[event.player]!
  const tableaus = { ...before.tableaus }
  let { hands } = before
  if (move.kind === 'select') {
    move.blocks.forEach((sizes, n) => {
      tableaus[own[n]!] = SIZES.map((size) => sizes.filter((chosen) => chosen === size).length)
    })
  } else {
    const colour = colourOf(move.letter, own)
    tableaus[colour] = (tableaus[colour] ?? []).map((count, n) =>
      n === move.size - 1 ? count - 1 : count
    )
    if (event.type === 'build' && hands)
      hands = exchange(hands, event.player, [event.card], [event.drew])
  }
  return {
    ...before,
    ...NO_MOVE,
    tableaus,
    hands,
    lastSite: move.kind === 'build' ? move.site : null,
    mover: event.player
  }
}

/** Exchange cards of one hand; a drawn card that the record hides is undefined. */
function exchange(
  hands: number[][],
  player: number,
  discarded: number[],
  drawn: (number | undefined)[]
): number[][] {
  return hands.map((hand, n) => {
    if (n !== player) return hand
    const left = [...hand]
    for (const card of discarded) left.splice(left.indexOf(card), 1)
    return [...left, ...drawn.filter((card) => card !== undefined)].sort((a, b) => a - b)
  })
}
