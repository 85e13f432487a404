/** The server's limits on what a form sends, so that forms and messages name the same ones. */

export const LIMITS = {
  /** Characters of a name. */
  name_length: 60,
  /** Minutes for a whole game. */
  minutes: 240,
  /** Seconds added after each move. */
  seconds: 600,
  /** Days for each move. */
  days: 60
} as const
