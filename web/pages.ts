import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, Rollup } from 'vite'

/** What each address begins with, and the part of the page that it needs. */
const PARTS: Record<string, string> = {
  index: 'Home',
  table: 'TablePage',
  new: 'NewTable',
  watch: 'Watch',
  learn: 'Learn',
  rules: 'Rules',
  replay: 'Replay'
}

/** A page for each kind of address, which names the files that it needs: a browser fetches them all
 * at once, and not one after the other as it comes upon them. */
export function pages(folder: string): Plugin {
  return {
    name: 'pages',
    apply: 'build',
    writeBundle(_, bundle) {
      const page = readFileSync(join(folder, 'index.html'), 'utf8')
      for (const [name, part] of Object.entries(PARTS)) {
        const links = [...needed(bundle, part)]
          .filter((file) => !page.includes(file))
          .map((file) =>
            file.endsWith('.css')
              ? `<link rel="stylesheet" crossorigin href="/${file}">`
              : `<link rel="modulepreload" crossorigin href="/${file}">`
          )
        const whole = page.replace('</head>', `  ${links.join('\n    ')}\n  </head>`)
        writeFileSync(join(folder, `${name}.html`), whole)
      }
    }
  }
}

/** The files of a part: its own, its style sheets, and those of all that it imports. */
function needed(bundle: Rollup.OutputBundle, part: string): Set<string> {
  const found = new Set<string>()
  const take = (chunk: Rollup.OutputChunk): void => {
    if (found.has(chunk.fileName)) return
    found.add(chunk.fileName)
    for (const css of chunk.viteMetadata?.importedCss ?? []) found.add(css)
    for (const file of chunk.imports) {
      const other = bundle[file]
      if (other?.type === 'chunk') take(other)
    }
  }
  for (const one of Object.values(bundle))
    if (one.type === 'chunk' && one.facadeModuleId?.endsWith(`/pages/${part}.svelte`)) take(one)
  if (!found.size) throw new Error(`the build has no ${part}`)
  return found
}
