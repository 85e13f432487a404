/** What can be played: the editions, house rules and bots, asked for once. */

import { api } from '$/protocol/api'
import type { BoxTold, EditionTold } from '$/protocol/told'

class Box {
  told = $state.raw<BoxTold | null>(null)
  #asked: Promise<void> | null = null

  async open(): Promise<BoxTold> {
    this.#asked ??= api.box().then(
      (told) => void (this.told = told),
      (error: unknown) => {
        this.#asked = null
        throw error
      }
    )
    await this.#asked
    return this.told!
  }

  edition(id: string | undefined): EditionTold | undefined {
    return this.told?.editions.find((one) => one.id === id)
  }

  cities(id: string | undefined): readonly string[] {
    return this.edition(id)?.cities ?? [...'ABCDEF']
  }
}

export const box = new Box()
