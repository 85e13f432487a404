/** Progressive rendering: the first time a large component is drawn in a visit, it appears piece by
 * piece, as many as fit between two frames, so that a slow phone stays responsive. Later it is drawn
 * at once. */

import { flushSync } from 'svelte'

/** The time for pieces in one go. */
const BUDGET_MS = 8
const completed = new Set<string>()

/** Return how many of the pieces of a component are to be drawn. Call it while the component is
 * initialized. */
export function progressiveRender(component: string, pieces: number): () => number {
  let rendered = $state(completed.has(component) ? pieces : 0)
  $effect(() => {
    if (completed.has(component)) return
    let frame = 0
    let timer = 0
    // After the frame, not in it: new pieces are laid out in the next frame.
    const schedule = (): void => {
      frame = requestAnimationFrame(() => (timer = window.setTimeout(renderPieces)))
    }
    const renderPieces = (): void => {
      const start = performance.now()
      while (rendered < pieces && performance.now() - start < BUDGET_MS)
        flushSync(() => (rendered += 1))
      if (rendered < pieces) schedule()
      else completed.add(component)
    }
    schedule()
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  })
  return () => rendered
}
