/** The present moment, for displays that change while nothing happens. */

import { createSubscriber } from 'svelte/reactivity'

/** A function that returns the time in milliseconds since 1970, and whose readers are updated at
 * this interval. No timer runs while there are none. */
export function tickingClock(interval: number): () => number {
  const subscribe = createSubscriber((update) => {
    const timer = setInterval(update, interval)
    return () => clearInterval(timer)
  })
  return () => {
    subscribe()
    return Date.now()
  }
}
