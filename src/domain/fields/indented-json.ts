import { parseJson } from '../json/parse-json.ts'

/**
 * A JSON text as `structuredFields` reads it, whatever white space it was sent with; `null`: it is
 * no JSON, or would not be written back with the same signs. Pure.
 */
export function indentedJson(text: string): string | null {
  const value = parseJson(text)
  if (value === undefined || JSON.stringify(value) !== withoutSpace(text)) return null
  return JSON.stringify(value, null, 2)
}

/** A JSON text without the white space between its strings and signs. */
function withoutSpace(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, literal: string | undefined) => {
    return literal ?? ''
  })
}
