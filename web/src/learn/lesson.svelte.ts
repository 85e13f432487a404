/** A lesson of the tutorial as the server tells it: a position, and what came of the learner's moves.
 * Nothing of it is kept anywhere. */

import type { Scored } from '$/game/live.svelte'
import { towersOf } from '$/game/story'
import { readMove } from '$/game/words'
import { api, AWAY, Refused } from '$/protocol/api'
import type { LessonTold, RefusalTold, ScoreTold } from '$/protocol/told'

/** Of the players: the one who learns. */
export const LEARNER = 0

export class Lesson {
  told = $state.raw<LessonTold | null>(null)
  /** What was refused last. */
  refusal = $state.raw<RefusalTold | null>(null)
  /** Is something on its way? */
  waiting = $state(false)
  /** What the learner's last block has brought. */
  points = $state(0)
  #moves: string[] = []

  constructor(readonly number: number) {
    void this.again()
  }

  towers = $derived(towersOf(told(this.told?.position.towers)))
  last = $derived.by(() => {
    const built = this.told?.events.findLast((event) => event.type === 'build')
    const move = built?.type === 'build' ? readMove(built.move) : null
    return move?.kind === 'build' ? move.site : null
  })
  scored = $derived.by((): Scored | null => {
    const sheet = this.told?.events.find((event): event is ScoreTold => event.type === 'score')
    return sheet ? { sheet, towers: this.towers } : null
  })

  /** From the beginning. */
  async again(): Promise<void> {
    await this.#ask([])
  }

  async play(move: string): Promise<void> {
    if (!this.waiting) await this.#ask([...this.#moves, move])
  }

  /** Why a move can't be made; one that can is not made by this. */
  async why(move: string): Promise<void> {
    try {
      await api.lesson(this.number, [...this.#moves, move])
    } catch (error) {
      this.refusal = error instanceof Refused ? error.told : AWAY
    }
  }

  async #ask(moves: string[]): Promise<void> {
    this.refusal = null
    this.waiting = true
    try {
      const told = await api.lesson(this.number, moves)
      this.points = gain(this.told?.own.moves, moves.at(-1))
      this.told = told
      this.#moves = moves
    } catch (error) {
      this.refusal = error instanceof Refused ? error.told : AWAY
    } finally {
      this.waiting = false
    }
  }
}

/** What a move would bring who makes it, as it was told before. */
function gain(moves: LessonTold['own']['moves'] | undefined, move: string | undefined): number {
  if (moves?.kind !== 'build' || move === undefined) return 0
  const place = moves.places.find((one) => one.moves.includes(move))
  return (place?.gains[place.moves.indexOf(move)] as number[] | undefined)?.[LEARNER] ?? 0
}

type Towers = NonNullable<LessonTold['position']['towers']>
const told = (towers: Towers | undefined): Towers => towers ?? {}
