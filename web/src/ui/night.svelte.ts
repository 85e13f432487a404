/** Is the page dark? What glows by night is not drawn by day. */

import { settings } from '$/settings.svelte'

class Night {
  #device = matchMedia('(prefers-color-scheme: dark)')
  #dark = $state(this.#device.matches)

  constructor() {
    this.#device.addEventListener('change', (event) => (this.#dark = event.matches))
  }

  get falls(): boolean {
    const theme = settings.get('theme')
    return theme === 'auto' ? this.#dark : theme === 'dark'
  }
}

export const night = new Night()
