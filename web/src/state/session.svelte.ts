/** The visitor's session: the name under which the server knows this browser. */

import { api } from '$/protocol/http'

class Session {
  name = $state<string | null>(null)
  /** The server didn't tell whether it knows this browser: it can't be reached, or refuses. */
  isUnclear = $state(false)
  #input = $state<string | null>(null)
  #request: Promise<void> | null = null

  /** The value of a name field: what the visitor typed, or else the name that the server knows,
   * which may arrive late and never replaces typed text. */
  get nameInput(): string {
    return this.#input ?? this.name ?? ''
  }
  set nameInput(name: string) {
    this.#input = name
  }

  async load(): Promise<void> {
    this.#request ??= api.me().then(
      (identity) => {
        this.name = identity.name
        this.isUnclear = false
      },
      () => {
        this.#request = null
        this.isUnclear = true
      }
    )
    await this.#request
  }

  /** Register the typed name, unless the server knows it already. */
  async saveName(fallback: string): Promise<void> {
    await this.load()
    const name = this.nameInput.trim() || fallback
    if (this.name !== name) this.name = (await api.setName(name)).name
    this.#input = null
  }

  /** Take over what the server has said about the visitor: another name, or none any more. */
  adopt(name: string | null): void {
    this.name = name
    this.#input = null
    this.#request = Promise.resolve()
  }

  /** Register under the fallback name, unless the server knows the visitor already. */
  async ensureIdentity(fallback: string): Promise<void> {
    await this.load()
    if (this.name === null) this.name = (await api.setName(fallback)).name
  }
}

export const session = new Session()
