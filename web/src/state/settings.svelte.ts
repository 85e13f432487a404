/** The visitor's settings, kept in the browser. */

export type ThemeSetting = 'auto' | 'light' | 'dark'
export type BoardModeSetting = 'auto' | 'skyline' | 'plan'

interface Values {
  theme: ThemeSetting
  boardMode: BoardModeSetting
  /** On a shared screen: show the board from one side in every turn. */
  fixedView: boolean
  confirm: boolean
  sounds: boolean
  motion: boolean
  language: string | null
  /** The notifications that the user wants. */
  notifications: ('turn' | 'start' | 'end')[]
}

const STORAGE_KEY = 'manhattan'
const DEFAULTS: Values = {
  theme: 'auto',
  boardMode: 'auto',
  fixedView: false,
  confirm: true,
  sounds: false,
  motion: true,
  language: null,
  notifications: []
}

class Settings {
  #values = $state<Values>(load())

  get<Name extends keyof Values>(name: Name): Values[Name] {
    return this.#values[name]
  }

  set<Name extends keyof Values>(name: Name, value: Values[Name]): void {
    this.#values[name] = value
    save(this.#values)
    this.apply()
  }

  get reducedMotion(): boolean {
    return !this.#values.motion || matchMedia('(prefers-reduced-motion: reduce)').matches
  }

  /** Apply the settings to the style sheets. */
  apply(): void {
    const { dataset } = document.documentElement
    dataset.theme = this.#values.theme
    dataset.motion = this.#values.motion ? 'on' : 'off'
  }
}

function load(): Values {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<Values>
    return { ...DEFAULTS, ...stored }
  } catch {
    return { ...DEFAULTS } // storage is blocked, or its content is broken
  }
}

function save(values: Values): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(values))
  } catch {
    // Without storage the settings last until the page is closed.
  }
}

export const settings = new Settings()
