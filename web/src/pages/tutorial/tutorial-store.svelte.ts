/** Store of one tutorial step: a position, and the result of the learner's moves. The server keeps
 * no state: each request sends all moves of the step. */

import { parseTowers } from '$/model/event-log'
import { parseMove } from '$/model/notation'
import type { ScoredRound } from '$/model/position'
import { api, ApiError, SERVER_UNREACHABLE } from '$/protocol/http'
import type { TutorialStep, Problem, ScoreEvent } from '$/protocol/types.gen'

/** The learner's player number. */
export const LEARNER = 0

export class TutorialStore {
  data = $state.raw<TutorialStep | null>(null)
  /** Why the server rejected the last move. */
  error = $state.raw<Problem | null>(null)
  /** Is a request on its way? */
  waiting = $state(false)
  /** The points that the learner's last move gained. */
  points = $state(0)
  #moves: string[] = []

  constructor(readonly number: number) {
    void this.restart()
  }

  towers = $derived(parseTowers(this.data?.position.towers ?? {}))
  lastSite = $derived.by(() => {
    const event = this.data?.game_events.findLast((event) => event.type === 'build')
    const move = event?.type === 'build' ? parseMove(event.move) : null
    return move?.kind === 'build' ? move.site : null
  })
  scored = $derived.by((): ScoredRound | null => {
    const sheet = this.data?.game_events.find(
      (event): event is ScoreEvent => event.type === 'score'
    )
    return sheet ? { sheet, towers: this.towers } : null
  })

  async restart(): Promise<void> {
    await this.#request([])
  }

  async play(move: string): Promise<void> {
    if (!this.waiting) await this.#request([...this.#moves, move])
  }

  /** Find out why a move is illegal. A legal move is not made. */
  async explain(move: string): Promise<void> {
    try {
      this.error = (await api.tutorialStep(this.number, [...this.#moves, move])).problem
    } catch (error) {
      this.error = problemOf(error)
    }
  }

  async #request(moves: string[]): Promise<void> {
    this.error = null
    this.waiting = true
    try {
      const data = await api.tutorialStep(this.number, moves)
      this.error = data.problem
      if (data.problem) return
      this.points = gainOf(this.data?.private.moves, moves.at(-1))
      this.data = data
      this.#moves = moves
    } catch (error) {
      this.error = problemOf(error)
    } finally {
      this.waiting = false
    }
  }
}

const problemOf = (error: unknown): Problem =>
  error instanceof ApiError ? error.problem : SERVER_UNREACHABLE

/** The learner's gain from a move, as the server announced it with the legal moves. */
function gainOf(
  moves: TutorialStep['private']['moves'] | undefined,
  move: string | undefined
): number {
  if (moves?.kind !== 'build' || move === undefined) return 0
  const [site, block] = move.split('+') as [string, string]
  const group = moves.placements.find(
    (candidate) => candidate.sites.includes(site) && candidate.blocks.includes(block)
  )
  return (group?.gains[group.blocks.indexOf(block)] as number[] | undefined)?.[LEARNER] ?? 0
}
