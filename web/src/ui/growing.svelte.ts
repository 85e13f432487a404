/** The first board of a visit is drawn city by city, one a frame, so that a slow phone can answer in
 * between. Later ones are there at once. */

let grown = false

/** How many of so many steps are done. For a component, while it is made. */
export function growing(steps: number): () => number {
  let done = $state(grown ? steps : 0)
  $effect(() => {
    if (grown) return
    let frame = requestAnimationFrame(function next() {
      done += 1
      if (done < steps) frame = requestAnimationFrame(next)
      else grown = true
    })
    return () => cancelAnimationFrame(frame)
  })
  return () => done
}
