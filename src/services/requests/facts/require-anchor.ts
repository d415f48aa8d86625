import type { AnchorSide, CommentAnchor } from '#domain/requests/comment-anchor.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import { parseUnifiedDiff } from '#domain/tools/unified-diff.ts'
import { getRemainingTexts } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import { countLines } from '#tools/presentations/make-presentation.ts'
import { invalid } from '../../core/problems/invalid.ts'

/** How many lines a side of a file has, as far as it is shown. */
type Lines = Readonly<Record<AnchorSide, number>>

/**
 * Rejects with `invalid_request` when the change that a revision shows does not have the line: the
 * agent would read a remark about a line that nobody saw.
 */
export async function requireAnchor(
  tx: Tx,
  { id, revision }: { readonly id: string; readonly revision: number },
  { file, side, line }: CommentAnchor,
): Promise<void> {
  const row = await tx
    .selectFrom('request_revision')
    .select(['presentation_hash', 'content_hash', 'content_type'])
    .where('request_id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow()
  const isText = row.content_type === 'text/plain'
  const hashes = [row.presentation_hash, ...(isText ? [row.content_hash] : [])]
  const texts = await getRemainingTexts(tx, hashes)
  const storedText = texts.get(row.presentation_hash)
  if (storedText === undefined)
    throw invalid('anchor', 'is not possible: the contents of this request were erased')
  const presentation = JSON.parse(storedText) as Presentation
  const lines = [
    linesOfDiff(presentation, file),
    linesOfFile(presentation, file, texts.get(row.content_hash) ?? ''),
  ].flatMap((one) => one?.[side] ?? [])
  if (lines.length === 0) throw invalid('anchor.file', 'is not a file that this request shows')
  const last = Math.max(...lines)
  if (line > last) throw invalid('anchor.line', `is past the ${last} lines of the ${side} side`)
}

/** For the only file of a call: unchanged lines outside of its difference can be shown too. */
function linesOfFile(
  { type, metadata, totalLines }: Presentation,
  file: string,
  content: string,
): Lines | null {
  const { path, added, removed, newHash } = metadata
  if (path !== file) return null
  if (type === 'file_content') return { old: 0, new: totalLines }
  if (type !== 'diff' || typeof added !== 'number' || typeof removed !== 'number') return null
  if (newHash === 'absent') return { old: removed, new: 0 }
  const lines = countLines(content)
  return { old: lines - added + removed, new: lines }
}

/** For one of several files, up to the last line that the difference shows. */
function linesOfDiff({ type, content }: Presentation, name: string): Lines | null {
  const files = type === 'diff' ? (parseUnifiedDiff(content) ?? []) : []
  const file = files.find(({ newPath, oldPath }) => (newPath ?? oldPath) === name)
  const hunk = file?.hunks.at(-1)
  if (hunk === undefined) return null
  const { oldStart, oldLines, newStart, newLines } = hunk
  return { old: lastLine(oldStart, oldLines), new: lastLine(newStart, newLines) }
}

/** A hunk without lines refers to the line before it. */
function lastLine(start: number, lines: number): number {
  return lines === 0 ? start : start + lines - 1
}
