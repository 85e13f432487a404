// Makes the page's types from the server's schema: python -m manhattan.server.schema | node protocol.mjs
import { compile } from 'json-schema-to-typescript'
import { format, resolveConfig } from 'prettier'

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const schema = JSON.parse(Buffer.concat(chunks).toString('utf8'))
delete schema.anyOf
for (const part of Object.values(schema.$defs)) tidy(part)

/** What the compiler of types does not know, or would take too far. */
function tidy(part) {
  if (Array.isArray(part)) part.forEach(tidy)
  else if (part && typeof part === 'object') {
    if (typeof part.title === 'string') delete part.title // it would become a type of its own
    if (part.prefixItems) part.items = part.prefixItems
    else if (part.type === 'array') delete part.minItems // else a type for each number of items
    if (!part.prefixItems && part.type === 'array') delete part.maxItems
    delete part.prefixItems
    Object.values(part).forEach(tidy)
  }
}

const types = await compile(schema, 'Everything', {
  additionalProperties: false,
  bannerComment: '// Made from the server’s schema by `make types`. Not to be edited.',
  unreachableDefinitions: true,
  format: false
})
const config = await resolveConfig(`${import.meta.dirname}/told.ts`)
const written = await format(types, { ...config, plugins: [], parser: 'typescript' })
const where = /^ \*\n \* This interface was referenced by .*\n \* via the `definition` .*\n/gm
const whole = /export interface ManhattanWhatGoesOverTheWebsocket \{[^}]*\}\n/
const said =
  /^\/\*\*\n \* This interface was referenced by .*\n \* via the `definition` .*\n \*\/\n/gm
process.stdout.write(written.replace(where, '').replace(said, '').replace(whole, ''))
