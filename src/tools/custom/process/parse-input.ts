import { isJsonObject } from '#domain/json/is-object.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '#domain/json/json.ts'
import type { ParsedInput } from '#domain/tools/tool.ts'

/** The result of a schema: the parsed value, or the problems. */
export type ValidationResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * The canonical input of a custom tool: the value that the schema makes of the input, with
 * defaults, if that value is JSON and parses to itself. Otherwise the schema transforms it, and the
 * canonical input is the input unchanged. Fields that the schema drops are refused: no approval
 * covers a field without effect.
 */
export async function canonicalInput(
  validate: (input: unknown) => Promise<ValidationResult>,
  input: Json,
): Promise<ParsedInput> {
  const first = await validate(input)
  if (!first.ok) return first
  const again = await validate(first.value)
  const stable = isJson(first.value) && again.ok && isDeepStrictEqual(again.value, first.value)
  const canonical = stable ? first.value : input
  if (canonical === null || typeof canonical !== 'object' || Array.isArray(canonical)) {
    return { ok: false, problems: ['The input must be an object.'] }
  }
  const dropped = stable ? droppedFields(input, canonical, '') : []
  if (dropped.length > 0) {
    return { ok: false, problems: dropped.map((field) => `${field}: unknown field.`) }
  }
  return { ok: true, input: canonical }
}

/** Whether JSON represents a value unchanged. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isJson)
  if (typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every(isJson)
}

function droppedFields(input: Json, output: Json, at: string): string[] {
  if (Array.isArray(input) && Array.isArray(output)) {
    return input.flatMap((entry, index) =>
      droppedFields(entry, output[index] ?? null, `${at}[${index}]`),
    )
  }
  if (!isJsonObject(input) || !isJsonObject(output)) return []
  return Object.entries(input).flatMap(([key, value]) => {
    const name = at === '' ? key : `${at}.${key}`
    return Object.hasOwn(output, key) ? droppedFields(value, output[key] ?? null, name) : [name]
  })
}
