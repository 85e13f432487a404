/** What is drawn for the first time in a visit is drawn piece by piece, between two pictures of the
 * screen as many as there is time for, so that a slow phone can answer in between. Later it is there
 * at once. */

import { flushSync } from 'svelte'

/** Milliseconds that may be spent on pieces in one go. */
const SPELL = 8
const grown = new Set<string>()

/** How many of so many pieces are there. For a component, while it is made. */
export function growing(what: string, pieces: number): () => number {
  let there = $state(grown.has(what) ? pieces : 0)
  $effect(() => {
    if (grown.has(what)) return
    let frame = 0
    let timer = 0
    // Not in the frame, but after it: what is made now is laid out in the next one.
    const wait = (): void => {
      frame = requestAnimationFrame(() => (timer = window.setTimeout(more)))
    }
    const more = (): void => {
      const begun = performance.now()
      while (there < pieces && performance.now() - begun < SPELL) flushSync(() => (there += 1))
      if (there < pieces) wait()
      else grown.add(what)
    }
    wait()
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  })
  return () => there
}
