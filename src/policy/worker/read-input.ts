import { isJsonObject } from '#domain/json/is-object.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { readJson, wrong, type YamlField } from '../reading/yaml-field.ts'
import { schemaProblem } from './input-schema.ts'

/** Reads `input`: the JSON Schema of what a run is started with; `null` after reporting. */
export function readInput(field: YamlField): JsonObject | null {
  const schema = readJson(field)
  if (schema === null) return null
  const problem = isJsonObject(schema) ? schemaProblem(schema) : 'is not a mapping'
  if (problem !== null) {
    const example = '{ type: object, properties: { version: { type: string } } }'
    wrong(field, problem, `write a JSON Schema: \`${example}\``)
    return null
  }
  return isJsonObject(schema) ? schema : null
}
