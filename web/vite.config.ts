import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'
import { pages } from './pages.ts'

const page = new URL('../src/manhattan/page', import.meta.url).pathname

/** The server hands out what is compressed already: nobody has to do it at every visit. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(page, { recursive: true, encoding: 'utf8' })) {
        const file = join(page, name)
        if (!/\.(js|css|html|svg|json|webmanifest)$/.test(name) || !statSync(file).isFile())
          continue
        writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)))
      }
    }
  }
}

export default defineConfig({
  plugins: [svelte(), pages(page), compressed()],
  resolve: { alias: { $: new URL('./src', import.meta.url).pathname } },
  build: {
    outDir: page,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What several pages share, in three files instead of twenty.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules|src\/(i18n|[a-z.]+$)/,
              minShareCount: 2,
              priority: 3
            },
            { name: 'table', test: /src\/table\//, minShareCount: 2, priority: 1 },
            {
              name: 'shared',
              test: /src\/(board|game|protocol|ui)\//,
              minShareCount: 2,
              priority: 2
            }
          ]
        }
      }
    }
  },
  server: {
    proxy: {
      '/api': { target: 'http://127.0.0.1:8000', ws: true }
    }
  }
})
