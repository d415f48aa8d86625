import { createHash } from 'node:crypto'
import { runInThread } from '../threads/run-in-thread.ts'
import { decodeText } from './file-kind.ts'
import { lineChanges } from './line-changes.ts'
import { linesOf } from './unified-diff.ts'

/** Bytes of a line's hash: enough to distinguish the lines of a run. */
const hashLength = 6
/** A file with more lines has no line hashes, which would take too much space. */
const maxLines = 50_000
/** Below this many lines together counting is fast without a thread. */
const inlineLines = 2_000
const countLimitMs = 10_000

/**
 * A short hash for each line of a text, in order; `null` for bytes that are not text, or have more
 * than 50,000 lines.
 */
export function lineHashes(bytes: Uint8Array): Uint8Array | null {
  const text = decodeText(bytes)
  if (text === null) return null
  const lines = linesOf(text)
  if (lines.length > maxLines) return null
  const hashes = lines.map((line) => createHash('sha256').update(line).digest())
  return Buffer.concat(hashes.map((hash) => hash.subarray(0, hashLength)))
}

/** Two sides of a change, from `lineHashes`; an empty one where the file does not exist. */
export interface HashedSides {
  readonly before: Uint8Array
  readonly after: Uint8Array
}

export interface LineCounts {
  readonly added: number
  readonly removed: number
}

/**
 * The numbers of added and removed lines between each two sides, in order. Large ones are counted
 * in a thread; `null` when that takes more than 10 seconds.
 */
export async function countChangedLines(
  pairs: readonly HashedSides[],
): Promise<readonly LineCounts[] | null> {
  const bytes = pairs.reduce((sum, { before, after }) => sum + before.length + after.length, 0)
  if (bytes <= inlineLines * hashLength) return countHashedLines(pairs)
  const script = new URL('line-hashes-thread.ts', import.meta.url)
  const options = { limitMs: countLimitMs, signal: null }
  const outcome = await runInThread<LineCounts[]>(script, pairs, options)
  return outcome.done ? outcome.value : null
}

/** As `countChangedLines`, synchronously. */
export function countHashedLines(pairs: readonly HashedSides[]): LineCounts[] {
  return pairs.map(({ before, after }) => {
    const changes = lineChanges(hashesIn(before), hashesIn(after)).filter(({ isSame }) => !isSame)
    const lengthOf = (side: 'before' | 'after'): number =>
      changes.reduce((sum, { [side]: [from, to] }) => sum + to - from, 0)
    return { added: lengthOf('after'), removed: lengthOf('before') }
  })
}

function hashesIn(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex')
  return hex.match(new RegExp(`.{${hashLength * 2}}`, 'g')) ?? []
}
