/** How the board is drawn: from a chair or from above, on a phone or on something larger. */

import { settings } from '$/settings.svelte'

const PHONE = '(max-width: 900px)'
/** A phone on its side, a window that is not high, or one that is much enlarged. */
const LOW =
  '(min-width: 640px) and (max-width: 900px) and (max-height: 660px) and (min-aspect-ratio: 5/4),' +
  '(min-width: 901px) and (max-height: 540px)'
/** Beside the dock there is more room across than up. */
const FLAT = '(min-aspect-ratio: 19/10)'

/** Whether the screen is so, from now on. */
function fits(query: string): () => boolean {
  const asked = matchMedia(query)
  let so = $state(asked.matches)
  asked.addEventListener('change', () => (so = asked.matches))
  return () => so
}

class Drawing {
  #phone = fits(PHONE)
  #low = fits(LOW)
  #flat = fits(FLAT)

  /** With little room: everything is as on a phone. */
  get narrow(): boolean {
    return this.#phone() || this.#low()
  }

  /** Too low for a board above the dock: they stand side by side. */
  get low(): boolean {
    return this.#low()
  }

  /** How many cities stand side by side. */
  get across(): 2 | 3 {
    return this.narrow && !(this.low && this.#flat()) ? 2 : 3
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
