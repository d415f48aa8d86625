import type { Json, JsonObject } from '#domain/json/json.ts'
import { isJsonObject } from '#domain/json/is-object.ts'

/**
 * An example for a worker's `input` schema, for a person to edit: the required members, each with a
 * value of its type. It may break other rules of the schema. Pure.
 */
export function inputExample(schema: JsonObject): Json {
  const [first] = [schema['enum'], schema['examples']].flatMap((list) => list ?? [])
  const fixed = schema['const'] ?? schema['default'] ?? first
  if (fixed !== undefined) return fixed
  const [type] = [schema['type']].flat()
  switch (type) {
    case 'object':
      return membersOf(schema)
    case 'array':
      return []
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1
    default:
      return (schema['properties'] ?? schema['required']) === undefined ? 'TEXT' : membersOf(schema)
  }
}

function membersOf({ required, properties }: JsonObject): JsonObject {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const schemas = new Map(Object.entries(isJsonObject(properties) ? properties : {}))
  return Object.fromEntries(
    names.map((name) => {
      const schema = schemas.get(name)
      return [name, isJsonObject(schema) ? inputExample(schema) : 'TEXT']
    }),
  )
}
