import { canonicalJson } from '#domain/json/digest.ts'

let countWithout = 0

/**
 * A value as text, to compare it with another one; nothing and `null` are the same. A value without
 * canonical JSON, as half a surrogate pair, is the same as none: each call gives another text for
 * it. Never throws.
 */
export function textToCompare(value: unknown): string {
  try {
    return canonicalJson(value ?? null)
  } catch {
    countWithout += 1
    return `no canonical JSON (${countWithout})`
  }
}
