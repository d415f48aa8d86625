import type { Workspace } from '#domain/tools/workspace.ts'

const chunkBytes = 1024 * 1024
const newline = 0x0a

/** Some lines of a file. */
export interface LineRange {
  /** with their newlines, whole characters only */
  readonly content: Buffer
  /** how many lines `content` has, the cut one included */
  readonly lines: number
  /** the bound cut the last line */
  readonly isCut: boolean
  /** nothing follows */
  readonly isAtEnd: boolean
}

/**
 * Lines `offset` (from 1) to `offset + limit - 1` of a file of any size, at most `maxBytes` in
 * total. The file is read in pieces, which bounds the memory. Bytes, not characters: the caller
 * decodes.
 */
export async function readLines(
  workspace: Workspace,
  path: string,
  range: { readonly offset: number; readonly limit: number; readonly maxBytes: number },
): Promise<LineRange> {
  let line = 1
  let lines = 0
  let size = 0
  const parts: Uint8Array[] = []
  const rangeOf = (isCut: boolean, isAtEnd: boolean): LineRange => ({
    content: Buffer.concat(parts),
    lines: size > 0 && parts.at(-1)?.at(-1) !== newline ? lines + 1 : lines,
    isCut,
    isAtEnd,
  })
  for (let start = 0; ;) {
    const chunk = await workspace.read(path, { start, maxBytes: chunkBytes })
    if (chunk.length === 0) return rangeOf(false, true)
    let from = 0
    while (from < chunk.length) {
      const next = chunk.indexOf(newline, from)
      const end = next === -1 ? chunk.length : next + 1
      if (line >= range.offset) {
        if (lines >= range.limit) return rangeOf(false, false)
        const room = range.maxBytes - size
        const part = chunk.subarray(from, Math.min(end, from + room))
        parts.push(part)
        size += part.length
        if (part.length < end - from) return rangeOf(true, false)
        if (next !== -1) lines += 1
      }
      if (next !== -1) line += 1
      from = end
    }
    start += chunk.length
  }
}
