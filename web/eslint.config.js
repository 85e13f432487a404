import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import { defineConfig } from 'eslint/config'
import globals from 'globals'
import ts from 'typescript-eslint'
import svelteConfig from './svelte.config.js'

export default defineConfig(
  { ignores: ['src/protocol/types.gen.ts'] },
  js.configs.recommended,
  ts.configs.strict,
  ts.configs.stylistic,
  svelte.configs.recommended,
  svelte.configs.prettier,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } }
  },
  {
    rules: {
      // `noUncheckedIndexedAccess` asks for an assertion wherever an index is known to exist.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }
      ],
      // Collections in `$state.raw` are replaced as a whole, and caches are not reactive.
      'svelte/prefer-svelte-reactivity': 'off'
    }
  },
  {
    // Drawings are SVG text (board/svg-markup.ts), made from numbers and escaped messages.
    files: ['src/board/*.svelte', 'src/table/MiniBlocks.svelte'],
    rules: { 'svelte/no-at-html-tags': 'off' }
  }
)
