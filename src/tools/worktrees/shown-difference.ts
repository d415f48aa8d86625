import { countWords } from '#domain/text/quantities/count-words.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { BinaryChange, Side } from './binary-changes.ts'

/** Git's difference, with facts for the approver about the bytes that it leaves out. */
export interface ShownDifference {
  readonly text: string
  readonly metadata: JsonObject
  readonly warnings: readonly string[]
}

/**
 * The lines of what Git printed, for warnings about their text. Git prints an empty line of a
 * commit message, or of the context of a change, as spaces that nobody wrote. Here such a line is
 * empty.
 */
export function printedLines(text: string): string[] {
  return text.split('\n').map((line) => (/^ {1,4}$/.test(line) ? '' : line))
}

/** More of them are counted in one sentence; the metadata has all. */
const maxWarnings = 20

/** A printed difference and the binary files in it, as they are shown (product.md 26). */
export function shownDifference(bytes: Buffer, binary: readonly BinaryChange[]): ShownDifference {
  const text = bytes.toString('utf8')
  const isText = Buffer.from(text).equals(bytes)
  return {
    text,
    metadata: binary.length === 0 ? {} : { binary: binary.map((change) => ({ ...change })) },
    warnings: [
      ...binaryWarnings(binary),
      ...(isText ? [] : ['Some bytes are not UTF-8: they are shown as \u{FFFD}.']),
    ],
  }
}

function binaryWarnings(changes: readonly BinaryChange[]): string[] {
  const warnings = changes.slice(0, maxWarnings).map(({ path, before, after }) => {
    const sides = `before: ${sideText(before)}; after: ${sideText(after)}`
    return `${path} is binary, and its contents are not shown (${sides}).`
  })
  const more = changes.length - warnings.length
  return more === 0
    ? warnings
    : [...warnings, `Nor are those of ${countWords(more, 'other binary file')}.`]
}

function sideText(side: Side): string {
  return side === null ? 'not there' : `${side.bytes} bytes, object ${side.object}`
}
