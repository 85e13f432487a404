/** The build's own Vite plugins. */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin, type Rollup } from 'vite'
import { compress } from './compress.ts'

/** The component of each HTML file. The server chooses the file by the first part of the address. */
const COMPONENT_BY_PAGE: Record<string, string> = {
  index: 'HomePage',
  table: 'TablePage',
  new: 'NewTablePage',
  watch: 'WatchPage',
  account: 'AccountPage',
  games: 'GamesPage',
  learn: 'TutorialPage',
  rules: 'RulesPage',
  replay: 'ReplayPage'
}

/** Write one HTML file per page, with preload links to all files of that page: the browser fetches
 * them at once instead of discovering them one after the other. */
export function htmlPages(outDir: string): Plugin {
  return {
    name: 'html-pages',
    apply: 'build',
    writeBundle(_, bundle) {
      const html = readFileSync(join(outDir, 'index.html'), 'utf8')
      for (const [page, component] of Object.entries(COMPONENT_BY_PAGE)) {
        const links = [...filesOf(bundle, component)]
          .filter((file) => !html.includes(file))
          .map((file) =>
            file.endsWith('.css')
              ? `<link rel="stylesheet" crossorigin href="/${file}">`
              : `<link rel="modulepreload" crossorigin href="/${file}">`
          )
        const withLinks = html.replace('</head>', `  ${links.join('\n    ')}\n  </head>`)
        writeFileSync(join(outDir, `${page}.html`), withLinks)
      }
    }
  }
}

/** The scripts and style sheets of a page, including those of its imports. */
function filesOf(bundle: Rollup.OutputBundle, component: string): Set<string> {
  const files = new Set<string>()
  const add = (chunk: Rollup.OutputChunk): void => {
    if (files.has(chunk.fileName)) return
    files.add(chunk.fileName)
    for (const css of chunk.viteMetadata?.importedCss ?? []) files.add(css)
    for (const file of chunk.imports) {
      const imported = bundle[file]
      if (imported?.type === 'chunk') add(imported)
    }
  }
  for (const output of Object.values(bundle))
    if (output.type === 'chunk' && output.facadeModuleId?.endsWith(`/pages/${component}.svelte`))
      add(output)
  if (!files.size) throw new Error(`the build has no ${component}`)
  return files
}

/** Build the service worker into one file at the root of the site, which is its scope. It gets the
 * list of all files, and a digest by which browsers notice a new build. */
export function serviceWorker(outDir: string, alias: Record<string, string>): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    async closeBundle() {
      const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' })
        .map((name) => name.replaceAll('\\', '/'))
        .filter((name) => statSync(join(outDir, name)).isFile() && !UNCACHED.test(name))
        .sort()
      const digest = createHash('sha256')
      for (const name of names) digest.update(name).update(readFileSync(join(outDir, name)))
      await build({
        configFile: false,
        publicDir: false,
        logLevel: 'warn',
        resolve: { alias },
        define: {
          __FILES__: JSON.stringify(names.map((name) => `/${name}`)),
          __VERSION__: JSON.stringify(digest.digest('hex').slice(0, 16))
        },
        build: {
          outDir,
          emptyOutDir: false,
          target: 'es2022',
          lib: {
            entry: new URL('../src/service-worker/service-worker.ts', import.meta.url).pathname,
            formats: ['iife'],
            name: 'serviceWorker',
            fileName: () => 'service-worker.js'
          }
        }
      })
    }
  }
}
const UNCACHED = /\.br$|^\.|\.txt$|^service-worker\.js$|^apple-touch-icon/

/** Compress all text files of the build. */
export function brotli(outDir: string): Plugin {
  return {
    name: 'brotli',
    apply: 'build',
    enforce: 'post',
    closeBundle: {
      order: 'post', // after the service worker
      sequential: true,
      handler: () => compress(outDir)
    }
  }
}
