/** Board mode: skyline or plan, and how much room the screen has for it. */

import { settings } from '$/state/settings.svelte'

const PHONE = '(max-width: 900px)'
/** A phone in landscape, a low window, or one with a high zoom. */
const LOW =
  '(min-width: 640px) and (max-width: 900px) and (max-height: 660px) and (min-aspect-ratio: 5/4),' +
  '(min-width: 901px) and (max-height: 540px)'
/** A phone so small that all parts have to be lower, or the board lies under the dock. */
const SMALL = '(max-width: 639px) and (max-height: 660px)'
/** A screen so wide that the log fits next to the board. */
const WIDE = '(min-width: 1181px)'
/** A screen so wide that three cities fit side by side next to the dock. */
const FLAT = '(min-aspect-ratio: 19/10)'

/** A reactive media query. */
function mediaQuery(query: string): () => boolean {
  const list = matchMedia(query)
  let matches = $state(list.matches)
  list.addEventListener('change', () => (matches = list.matches))
  return () => matches
}

class BoardMode {
  #isPhone = mediaQuery(PHONE)
  #isLow = mediaQuery(LOW)
  #isFlat = mediaQuery(FLAT)
  #isSmall = mediaQuery(SMALL)
  #isWide = mediaQuery(WIDE)

  /** Little room: the layout of a phone. */
  get narrow(): boolean {
    return this.#isPhone() || this.#isLow()
  }

  /** Too low for a board above the dock: they are side by side. */
  get low(): boolean {
    return this.#isLow()
  }

  /** Everything is one above the other, on a screen that is hardly high enough. */
  get small(): boolean {
    return this.#isSmall() && !this.low
  }

  /** Is the log next to the board? Elsewhere it is a dialog. */
  get hasLog(): boolean {
    return this.#isWide() && !this.narrow
  }

  /** The number of cities side by side. */
  get across(): 2 | 3 {
    return this.narrow && !(this.low && this.#isFlat()) ? 2 : 3
  }

  /** Is the board shown from above? By default only on a phone. */
  get plan(): boolean {
    const mode = settings.get('boardMode')
    return mode === 'auto' ? this.narrow : mode === 'plan'
  }

  select(mode: 'skyline' | 'plan'): void {
    settings.set('boardMode', mode)
  }

  toggle = (): void => this.select(this.plan ? 'skyline' : 'plan')
}

export const boardMode = new BoardMode()
