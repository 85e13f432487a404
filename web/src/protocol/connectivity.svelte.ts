/** Whether the server answers. */

class Connectivity {
  /** Did the last request reach the server? */
  reachable = $state(true)

  /** Follow the browser's own knowledge. */
  listen(): void {
    addEventListener('offline', () => (this.reachable = false))
    addEventListener('online', () => (this.reachable = true))
  }
}

export const connectivity = new Connectivity()
