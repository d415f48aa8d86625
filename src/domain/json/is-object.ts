import type { Json, JsonObject } from './json.ts'

/** Whether a value is an object and not a list; its members are unknown. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same for JSON, whose members are JSON. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value)
}
