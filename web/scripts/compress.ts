/** Compressed versions of all text files in a folder, made once, so that the server need not
 * compress them for every visit. `node compress.ts FOLDER` does it for the documentation. */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

const TEXT = /\.(js|css|html|svg|json|webmanifest|txt)$/

export function compress(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    if (!TEXT.test(name) || !statSync(file).isFile()) continue
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)))
  }
}

if (import.meta.main) compress(process.argv[2]!)
