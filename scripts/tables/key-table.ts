import type { Json, JsonObject } from '#domain/json/json.ts'
import { documentedSchemaOf, type SchemaName } from '#policy/schema/json-schemas.ts'

/** Keys whose own keys follow them; other descriptions say where the rest is. */
const detailedKeys: ReadonlySet<string> = new Set(['zones'])

/** The keys of a file that its schema describes, as rows of a table, the head first. */
export function keyRows(file: SchemaName): readonly (readonly string[])[] {
  return [['key', 'means', 'default'], ...rowsOf(documentedSchemaOf(file), '')]
}

function rowsOf(schema: JsonObject, at: string): string[][] {
  const { required } = schema
  return Object.entries(objectOf(schema['properties'])).flatMap(([name, value]) => {
    const key = at === '' ? name : `${at}.${name}`
    const inner = objectOf(value)
    const { description } = inner
    const below =
      typeof description !== 'string' || detailedKeys.has(key) ? rowsBelow(inner, key) : []
    if (typeof description !== 'string') return below
    const isRequired = Array.isArray(required) && required.includes(name)
    const [means = '', byDefault] = description.split(/\. Default: /)
    return [[`\`${key}\``, means, byDefault ?? (isRequired ? 'required' : '')], ...below]
  })
}

/** Rows for a key's possible values: a mapping, a mapping by names, a list, or several. */
function rowsBelow(schema: JsonObject, at: string): string[][] {
  const { additionalProperties, anyOf, items } = schema
  const variants = Array.isArray(anyOf) ? anyOf.map(objectOf) : []
  return [
    ...rowsOf(schema, at),
    ...rowsBelowIf(additionalProperties, `${at}.NAME`),
    ...rowsBelowIf(items, `${at}[]`),
    ...variants.flatMap((variant) => rowsBelow(variant, at)),
  ]
}

function rowsBelowIf(schema: Json | undefined, at: string): string[][] {
  return typeof schema === 'object' ? rowsBelow(objectOf(schema), at) : []
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
