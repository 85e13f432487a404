import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { brotli, htmlPages, serviceWorker } from './scripts/vite-plugins.ts'

const outDir = new URL('../src/manhattan/page', import.meta.url).pathname

const alias = { $: new URL('./src', import.meta.url).pathname }

export default defineConfig({
  plugins: [svelte(), htmlPages(outDir), serviceWorker(outDir, alias), brotli(outDir)],
  resolve: { alias },
  build: {
    outDir,
    emptyOutDir: true,
    license: { fileName: 'third-party-licences.txt' },
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What several pages share goes into three files instead of twenty.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules|src\/(i18n\/|state\/(router|settings))/,
              minShareCount: 2,
              priority: 3
            },
            { name: 'table', test: /src\/table\//, minShareCount: 2, priority: 1 },
            {
              name: 'shared',
              test: /src\/(board|model|protocol|state|text|ui)\//,
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
