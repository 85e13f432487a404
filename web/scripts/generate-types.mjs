// Generate the protocol's TypeScript types from the server's JSON Schema:
// python -m manhattan.server.protocol.schema | node scripts/generate-types.mjs
import { compile } from 'json-schema-to-typescript'
import { format, resolveConfig } from 'prettier'

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const schema = JSON.parse(Buffer.concat(chunks).toString('utf8'))
delete schema.anyOf
delete schema.title // so that the root is called `Root`
for (const definition of Object.values(schema.$defs)) simplify(definition)

/** Change what the compiler does not know, or would turn into needlessly complex types. */
function simplify(part) {
  if (Array.isArray(part)) part.forEach(simplify)
  else if (part && typeof part === 'object') {
    if (typeof part.title === 'string') delete part.title // it would become a type of its own
    // A reference with a description of its own would become a copy of the type.
    if (part.$ref) delete part.description
    if (part.prefixItems) part.items = part.prefixItems
    else if (part.type === 'array') {
      // Limits would become a union of tuples, one for each length.
      delete part.minItems
      delete part.maxItems
    }
    delete part.prefixItems
    Object.values(part).forEach(simplify)
  }
}

const types = await compile(schema, 'Root', {
  additionalProperties: false,
  bannerComment: '// Generated from the server’s schema by `make types`. Do not edit.',
  unreachableDefinitions: true,
  format: false
})
const config = await resolveConfig(`${import.meta.dirname}/../src/protocol/types.gen.ts`)
const formatted = await format(types, { ...config, plugins: [], parser: 'typescript' })
const reference = /^ \*\n \* This interface was referenced by .*\n \* via the `definition` .*\n/gm
const referenceComment =
  /^\/\*\*\n \* This interface was referenced by .*\n \* via the `definition` .*\n \*\/\n/gm
const rootInterface = /export interface Root \{[^}]*\}\n/
process.stdout.write(
  formatted.replace(reference, '').replace(referenceComment, '').replace(rootInterface, '')
)
