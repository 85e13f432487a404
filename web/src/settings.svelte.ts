/** What somebody likes, kept in his browser. */

export type Theme = 'auto' | 'light' | 'dark'
export type Drawing = 'auto' | 'skyline' | 'plan'

interface Kept {
  theme: Theme
  drawing: Drawing
  confirm: boolean
  sounds: boolean
  motion: boolean
  language: string | null
}

const PLACE = 'manhattan'
const USUAL: Kept = {
  theme: 'auto',
  drawing: 'auto',
  confirm: true,
  sounds: false,
  motion: true,
  language: null
}

class Settings {
  #kept = $state<Kept>(read())

  get<Name extends keyof Kept>(name: Name): Kept[Name] {
    return this.#kept[name]
  }

  set<Name extends keyof Kept>(name: Name, value: Kept[Name]): void {
    this.#kept[name] = value
    write(this.#kept)
    this.apply()
  }

  /** Does nothing move that need not? */
  get still(): boolean {
    return !this.#kept.motion || matchMedia('(prefers-reduced-motion: reduce)').matches
  }

  /** Have the page look like it. */
  apply(): void {
    const page = document.documentElement.dataset
    page.theme = this.#kept.theme
    page.motion = this.#kept.motion ? 'on' : 'off'
  }
}

function read(): Kept {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(PLACE) ?? '{}') as Partial<Kept>) }
  } catch {
    return { ...USUAL } // the browser keeps nothing for us, or something broken
  }
}

function write(kept: Kept): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify(kept))
  } catch {
    // then it is forgotten when the page is closed
  }
}

export const settings = new Settings()
