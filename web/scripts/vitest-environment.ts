import type { Environment } from 'vitest/runtime'

/** A test environment without a DOM. Its modules are transformed for the browser, because Svelte
 * compiles runes that are not reactive for a server. */
export default {
  name: 'browser-modules',
  viteEnvironment: 'client',
  setup: () => ({ teardown: () => undefined })
} satisfies Environment
