import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Presentation, PresentationType } from '#domain/tools/presentation.ts'

/**
 * A presentation with its totals and digest. `content` is complete: larger content is described
 * instead (type, size, hashes), never cut (product.md 26).
 */
export function makePresentation(parts: {
  readonly type: PresentationType
  readonly language: string | null
  readonly content: string
  readonly metadata: JsonObject
  readonly warnings: readonly string[]
}): Presentation {
  const { type, language, content, metadata, warnings } = parts
  const withoutDigest = {
    type,
    language,
    content,
    truncated: false,
    totalLines: countLines(content),
    totalBytes: Buffer.byteLength(content),
    metadata,
    warnings: [...warnings],
  }
  return { ...withoutDigest, digest: hashJson(withoutDigest) }
}

/**
 * The number of lines of a text. A last line without a newline counts; an empty line after the last
 * newline does not.
 */
export function countLines(text: string): number {
  if (text === '') return 0
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
