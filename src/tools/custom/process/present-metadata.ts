import type { Json, JsonObject } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import { isOwnMetadata } from '#domain/tools/presentation.ts'

/**
 * The metadata that a tool's `present` returns, as far as it can be stored, and a sentence for each
 * member that cannot be stored. A tool cannot set the names that the service uses.
 */
export function metadataOf(metadata: unknown, problems: string[]): JsonObject {
  if (metadata === undefined) return {}
  const leftOut = (why: string): JsonObject => {
    problems.push(`metadata of present was left out: ${why}.`)
    return {}
  }
  let text: string | undefined
  try {
    text = jsonText(metadata)
  } catch (error) {
    return leftOut(error instanceof Error ? error.message : 'it is not JSON')
  }
  const value = JSON.parse(text ?? 'null') as Json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return leftOut('it is not an object')
  }
  const bytes = Buffer.byteLength(text ?? '')
  if (bytes > limits.metadataBytes) {
    return leftOut(`it has ${bytes} bytes, more than the ${limits.metadataBytes} that are kept`)
  }
  // Text that is not well-formed has no canonical form, and so no digest.
  if (/\\ud[89a-f]/i.test(text ?? '')) return leftOut('it has half of a surrogate pair')
  const reserved = Object.keys(value).filter(isOwnMetadata)
  if (reserved.length > 0) {
    problems.push(
      `metadata of present: ${reserved.join(', ')} is a name of Countersign's own facts.`,
    )
  }
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isOwnMetadata(name)))
}

/**
 * A value as JSON; `undefined` where JSON has nothing for it. Throws, with the reason, where JSON
 * would silently lose contents.
 */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value, whatJsonLoses)
}

/** `JSON.stringify` would silently make `{}` of these, whatever their contents. */
function whatJsonLoses(_key: string, value: unknown): unknown {
  const lost = value instanceof Map || value instanceof Set || value instanceof Error
  if (!lost) return value
  const what =
    value instanceof Error
      ? `an error, ${value.name}: ${value.message.slice(0, 4000)}`
      : `a ${value.constructor.name}`
  throw new TypeError(`it holds ${what}`)
}
