// Makes the page's types from the server's schema: python -m manhattan.server.schema | node protocol.mjs
import { compile } from 'json-schema-to-typescript'
import { format, resolveConfig } from 'prettier'

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const schema = JSON.parse(Buffer.concat(chunks).toString('utf8'))
delete schema.anyOf
for (const part of Object.values(schema.$defs)) forgetTitles(part)

/** A field's title would become a type of its own. */
function forgetTitles(part) {
  if (Array.isArray(part)) part.forEach(forgetTitles)
  else if (part && typeof part === 'object') {
    for (const [name, inner] of Object.entries(part)) {
      if (name === 'title' && typeof inner === 'string') delete part.title
      else forgetTitles(inner)
    }
  }
}

const types = await compile(schema, 'Everything', {
  additionalProperties: false,
  bannerComment: '// Made from the server’s schema by `make types`. Not to be edited.',
  unreachableDefinitions: true,
  format: false
})
const config = await resolveConfig(`${import.meta.dirname}/told.ts`)
const written = await format(types, { ...config, parser: 'typescript' })
const where = /^ \*\n \* This interface was referenced by .*\n \* via the `definition` .*\n/gm
const whole = /export interface ManhattanWhatGoesOverTheWebsocket \{[^}]*\}\n/
const said = /^\/\*\*\n \* This interface was referenced by .*\n \* via the `definition` .*\n \*\/\n/gm
process.stdout.write(written.replace(where, '').replace(said, '').replace(whole, ''))
