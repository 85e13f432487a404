/** What is drawn for the first time in a visit is drawn piece by piece, one after each picture of the
 * screen, so that a slow phone can answer in between. Later it is there at once. */

const grown = new Set<string>()

/** How many of so many steps are done. For a component, while it is made. */
export function growing(what: string, steps: number): () => number {
  let done = $state(grown.has(what) ? steps : 0)
  $effect(() => {
    if (grown.has(what)) return
    let frame = 0
    let timer = 0
    // Not in the frame, but after it: what is made now is laid out in the next one.
    const wait = (): void => {
      frame = requestAnimationFrame(() => (timer = window.setTimeout(next)))
    }
    const next = (): void => {
      done += 1
      if (done < steps) wait()
      else grown.add(what)
    }
    wait()
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  })
  return () => done
}
