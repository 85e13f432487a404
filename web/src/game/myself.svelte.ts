/** Who the server thinks that we are: a name is enough. */

import { api } from '$/protocol/api'

class MySelf {
  name = $state<string | null>(null)
  #typed = $state<string | null>(null)
  #asked: Promise<void> | null = null

  /** For a field to type a name in: what is remembered comes late, and never over what is typed. */
  get typed(): string {
    return this.#typed ?? this.name ?? ''
  }
  set typed(name: string) {
    this.#typed = name
  }

  async remember(): Promise<void> {
    this.#asked ??= api.me().then(
      (told) => void (this.name = told.name),
      () => void (this.#asked = null)
    )
    await this.#asked
  }

  /** Say the name that was typed, unless it is known already. */
  async introduce(usual: string): Promise<void> {
    await this.remember()
    const name = this.typed.trim() || usual
    if (this.name !== name) this.name = (await api.callMe(name)).name
    this.#typed = null
  }

  /** Be somebody, whatever the name. */
  async be(usual: string): Promise<void> {
    await this.remember()
    if (this.name === null) this.name = (await api.callMe(usual)).name
  }
}

export const myself = new MySelf()
