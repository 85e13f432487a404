/** Who the server thinks that we are: a name is enough. */

import { api } from '$/protocol/api'

class MySelf {
  name = $state<string | null>(null)
  #asked: Promise<void> | null = null

  async remember(): Promise<void> {
    this.#asked ??= api.me().then(
      (told) => void (this.name = told.name),
      () => void (this.#asked = null)
    )
    await this.#asked
  }

  /** Say a name, unless it is known already. */
  async introduce(name: string): Promise<void> {
    await this.remember()
    if (this.name === name) return
    this.name = (await api.callMe(name)).name
  }

  /** Be somebody, whatever the name. */
  async be(usual: string): Promise<void> {
    await this.remember()
    if (this.name === null) await this.introduce(usual)
  }
}

export const myself = new MySelf()
