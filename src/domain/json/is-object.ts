import type { Json, JsonObject } from './json.ts'

/** Whether a value is an object and no list; nothing is known of its members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same of JSON, whose members are JSON. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value)
}
