/** Whether the page is shown in its dark theme. Lit windows are drawn only then. */

import { settings } from './settings.svelte'

class Theme {
  #query = matchMedia('(prefers-color-scheme: dark)')
  #systemIsDark = $state(this.#query.matches)

  constructor() {
    this.#query.addEventListener('change', (event) => (this.#systemIsDark = event.matches))
  }

  get isDark(): boolean {
    const theme = settings.get('theme')
    return theme === 'auto' ? this.#systemIsDark : theme === 'dark'
  }
}

export const theme = new Theme()
