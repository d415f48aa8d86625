import type { Json, JsonObject } from '#domain/json/json.ts'
import { isJsonObject } from '#domain/json/is-object.ts'

/**
 * A value of the shape that a worker's `input` schema wants, to begin with: its required members
 * with a value of their type. It need not fit every other rule of the schema. Pure.
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
