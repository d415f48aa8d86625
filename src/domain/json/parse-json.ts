import { isJsonObject } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'

/** The value of a text as JSON; `undefined`: the text is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The same for a text that should be an object; `null`: it is none. */
export function parseObject(text: string): JsonObject | null {
  const value = parseJson(text)
  return isJsonObject(value) ? value : null
}
