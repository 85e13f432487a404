/** Read state of the chat: the last message read at each recent table, kept in the browser. */

const STORAGE_KEY = 'manhattan-chat-read'
const MAX_TABLES = 30

type ReadState = [table: string, number: number][]

function load(): ReadState {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(stored) ? (stored as ReadState) : []
  } catch {
    return [] // storage is blocked, or its content is broken
  }
}

export function lastReadNumber(table: string): number {
  return load().find(([id]) => id === table)?.[1] ?? -1
}

export function markRead(table: string, number: number): void {
  const others = load().filter(([id]) => id !== table)
  try {
    localStorage.setItem(
      STORAGE_KEY,
      JSON.stringify([[table, number], ...others].slice(0, MAX_TABLES))
    )
  } catch {
    // Without storage the state lasts until the page is closed.
  }
}
