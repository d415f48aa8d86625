/**
 * Whether a text has more characters than a bound. A character is a code point, as in JSON Schema
 * and in Postgres: an emoji outside of the first plane is one, and not two as in `length`.
 */
export function isLongerThan(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return false
  // A code point has at most two units.
  if (text.length > 2 * maxCharacters) return true
  let characters = 0
  for (const _ of text) characters += 1
  return characters > maxCharacters
}
