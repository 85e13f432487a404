/** People whose chat messages the user doesn't want to see, table by table, kept in the browser. */

const STORAGE_KEY = 'manhattan-muted'
const MAX_ENTRIES = 100

type Entry = [table: string, name: string]

class MutedNames {
  #entries = $state.raw<Entry[]>(load())

  has(table: string, name: string): boolean {
    return this.#entries.some(([id, muted]) => id === table && muted === name)
  }

  of(table: string): string[] {
    return this.#entries.filter(([id]) => id === table).map(([, name]) => name)
  }

  toggle(table: string, name: string): void {
    const others = this.#entries.filter(([id, muted]) => id !== table || muted !== name)
    this.#entries = this.has(table, name)
      ? others
      : [[table, name] as Entry, ...others].slice(0, MAX_ENTRIES)
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(this.#entries))
    } catch {
      // Without storage they are muted until the page is closed.
    }
  }
}

function load(): Entry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(stored) ? (stored as Entry[]) : []
  } catch {
    return [] // storage is blocked, or its content is broken
  }
}

export const mutedNames = new MutedNames()
