import { expect, it } from 'vitest'

const SOURCES = import.meta.glob<string>(['./**/*.{ts,svelte}', '!./**/*.test.ts'], {
  query: '?raw',
  import: 'default',
  eager: true
})

/** The sources that a source imports, as keys of `SOURCES`. */
function importsOf(file: string): string[] {
  const specifiers = SOURCES[file]!.matchAll(/(?:from|import)\s*\(?'([.$]\/[^']+)'/g)
  return [...specifiers].flatMap(([, specifier]) => {
    const base = specifier!.startsWith('$') ? 'https://x/$/' : `https://x/${file.slice(2)}`
    const path = `.${new URL(specifier!.replace('$/', ''), base).pathname.replace('/$/', '/')}`
    return [path, `${path}.ts`].filter((candidate) => candidate in SOURCES)
  })
}

it('has no import cycle', () => {
  const done = new Set<string>()
  function visit(file: string, path: readonly string[]): void {
    if (path.includes(file)) throw new Error([...path, file].join(' → '))
    if (done.has(file)) return
    for (const imported of importsOf(file)) visit(imported, [...path, file])
    done.add(file)
  }
  expect(importsOf('./main.ts')).toContain('./App.svelte')
  expect(importsOf('./table/Dock.svelte')).toContain('./model/event-log.ts')
  for (const file of Object.keys(SOURCES)) visit(file, [])
})
