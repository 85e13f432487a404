/** Up to which line somebody has read the talk of a table; kept in his browser, for the tables where
 * he was last. */

const PLACE = 'manhattan-talk'
const KEPT = 30

type Read = [table: string, number: number][]

function read(): Read {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? '[]')
    return Array.isArray(kept) ? (kept as Read) : []
  } catch {
    return [] // the browser keeps nothing for us, or something broken
  }
}

export function heardUpTo(table: string): number {
  return read().find(([one]) => one === table)?.[1] ?? -1
}

export function noteHeard(table: string, number: number): void {
  const others = read().filter(([one]) => one !== table)
  try {
    localStorage.setItem(PLACE, JSON.stringify([[table, number], ...others].slice(0, KEPT)))
  } catch {
    // then it is forgotten when the page is closed
  }
}
