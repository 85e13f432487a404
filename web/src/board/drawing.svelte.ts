/** How the board is drawn: from a chair or from above, on a phone or on something larger. */

import { settings } from '$/settings.svelte'

class Drawing {
  #phone = matchMedia('(max-width: 900px)')
  narrow = $state(this.#phone.matches)

  constructor() {
    this.#phone.addEventListener('change', (event) => (this.narrow = event.matches))
  }

  /** From above? On a phone it is, unless somebody wants it otherwise. */
  get plan(): boolean {
    const wanted = settings.get('drawing')
    return wanted === 'auto' ? this.narrow : wanted === 'plan'
  }

  look(plan: boolean): void {
    settings.set('drawing', plan ? 'plan' : 'skyline')
  }

  /** The other way. */
  turn = (): void => this.look(!this.plan)
}

export const drawing = new Drawing()
