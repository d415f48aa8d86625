import { canonicalJson } from '#domain/json/digest.ts'

/**
 * A value as text, to compare it with another one; nothing and `null` are the same. Values without
 * canonical JSON, as half a surrogate pair, have a text that no other value has. Never throws.
 */
export function textToCompare(value: unknown): string {
  try {
    return canonicalJson(value ?? null)
  } catch {
    return 'no canonical JSON'
  }
}
