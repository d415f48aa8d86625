import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { JsonObject } from './json.ts'
import { sortedCopy, unusual } from './sorted-copy.ts'

/** SHA-256 of bytes or of a text's UTF-8, written `sha256:<hex>` (api.md). */
export function hashBytes(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/**
 * Canonical JSON (RFC 8785). Throws on values that JSON cannot represent: NaN, infinities, lone
 * surrogates, undefined.
 */
export function canonicalJson(value: unknown): string {
  const copy = sortedCopy(value)
  // Of plain JSON, the copy and `JSON.stringify` take half of the time.
  const text = copy === unusual ? canonicalize(value) : JSON.stringify(copy)
  if (text === undefined) throw new TypeError('This value has no canonical JSON form')
  return text
}

/** Hash of a value's canonical JSON, `sha256:<hex>`. */
export function hashJson(value: unknown): string {
  return hashBytes(canonicalJson(value))
}

/**
 * The digest of a call that is shown, approved and executed: over canonical `{tool, input,
 * toolHash}` (api.md).
 */
export function callDigest(call: { tool: string; input: JsonObject; toolHash: string }): string {
  return hashJson({ tool: call.tool, input: call.input, toolHash: call.toolHash })
}
