import { useMemo } from 'react'
import { Diff, Hunk, type GutterOptions, type TokenNode } from 'react-diff-view'
import { chippedSecrets } from '#domain/text/secrets.ts'
import { VisibleLine } from '../text/visible-text.tsx'
import { changedRange, type DiffChange, type DiffFile, type DiffHunk } from './unified-diff.ts'
import './diff-view.css'

/**
 * A line as the one token that the diff view draws; `range` is the part that differs from its
 * counterpart.
 */
interface LineToken extends TokenNode {
  type: 'line'
  text: string
  range: { start: number; end: number } | null
  endsWithoutNewline: boolean
}

/**
 * One file of a diff, in one column or two. Every line goes through `VisibleLine`; nothing is
 * markup.
 */
export function DiffView({ file, split }: { file: DiffFile; split: boolean }) {
  const tokens = useMemo(() => tokensOf(file.hunks), [file])
  return (
    <div className="diff-box">
      <Diff
        diffType={file.oldPath === null ? 'add' : file.newPath === null ? 'delete' : 'modify'}
        viewType={split ? 'split' : 'unified'}
        hunks={file.hunks}
        tokens={tokens}
        renderToken={(token, _default, index) => <Line key={index} token={token as LineToken} />}
        renderGutter={gutter}
      >
        {(hunks) =>
          hunks.flatMap((hunk, index) => [
            <tbody key={`${hunk.content}-head`} className="diff-head">
              <tr>
                <td colSpan={split ? 4 : 3}>
                  <VisibleLine
                    line={skippedBefore(hunks[index - 1] as DiffHunk | undefined, hunk as DiffHunk)}
                  />
                </td>
              </tr>
            </tbody>,
            <Hunk key={hunk.content} hunk={hunk} />,
          ])
        }
      </Diff>
    </div>
  )
}

function Line({ token }: { token: LineToken }) {
  const { text, range } = token
  // A secret is masked whole, also where only a part of it changes.
  const isWhole = chippedSecrets(text).length > 0
  return (
    <>
      {range === null || range.start >= range.end || isWhole ? (
        <VisibleLine line={text} />
      ) : (
        <>
          <VisibleLine line={text.slice(0, range.start)} goesOn />
          <span className="diff-code-edit">
            <VisibleLine
              line={text.slice(range.start, range.end)}
              goesOn={range.end < text.length}
            />
          </span>
          <VisibleLine line={text.slice(range.end)} />
        </>
      )}
      {token.endsWithoutNewline && <span className="chip chip-blank">no newline at the end</span>}
    </>
  )
}

function gutter({ change, side, renderDefault }: GutterOptions) {
  const sign = change.type === 'insert' ? '+' : change.type === 'delete' ? '−' : ''
  const mine = (change.type === 'insert') === (side === 'new') && change.type !== 'normal'
  return (
    <>
      {renderDefault()}
      <span className="diff-sign">{mine ? sign : ''}</span>
    </>
  )
}

function skippedBefore(before: DiffHunk | undefined, hunk: DiffHunk): string {
  const from = before === undefined ? 1 : before.oldStart + before.oldLines
  const skipped = hunk.oldStart - from
  if (hunk.oldLines === 0 && hunk.oldStart === 0) return 'A new file'
  return skipped > 0 ? `${skipped} unchanged lines not shown` : 'From the first line'
}

function tokensOf(hunks: readonly DiffHunk[]): { old: TokenNode[][]; new: TokenNode[][] } {
  const tokens: { old: TokenNode[][]; new: TokenNode[][] } = { old: [], new: [] }
  for (const hunk of hunks) {
    const ranges = rangesOf(hunk.changes)
    for (const change of hunk.changes) {
      const token: LineToken = {
        type: 'line',
        text: change.content,
        range: ranges.get(change) ?? null,
        endsWithoutNewline: change.endsWithoutNewline,
      }
      if (change.type === 'normal') {
        tokens.old[change.oldLineNumber - 1] = [token]
        tokens.new[change.newLineNumber - 1] = [token]
      } else tokens[change.type === 'insert' ? 'new' : 'old'][change.lineNumber - 1] = [token]
    }
  }
  return tokens
}

/** Removed lines directly followed by as many added ones are versions of each other. */
function rangesOf(changes: readonly DiffChange[]): Map<DiffChange, { start: number; end: number }> {
  const ranges = new Map<DiffChange, { start: number; end: number }>()
  for (let at = 0; at < changes.length; at += 1) {
    const removed = runOf(changes, at, 'delete')
    if (removed.length === 0) continue
    const added = runOf(changes, at + removed.length, 'insert')
    for (const [index, before] of removed.entries()) {
      const after = added[index]
      if (after === undefined || removed.length !== added.length) continue
      const { start, beforeEnd, afterEnd } = changedRange(before.content, after.content)
      // Lines that share next to nothing are told apart by their colour alone.
      if (start + (before.content.length - beforeEnd) < 3) continue
      ranges.set(before, { start, end: beforeEnd })
      ranges.set(after, { start, end: afterEnd })
    }
    at += removed.length + added.length - 1
  }
  return ranges
}

function runOf(
  changes: readonly DiffChange[],
  from: number,
  type: DiffChange['type'],
): DiffChange[] {
  let end = from
  while (changes[end]?.type === type) end += 1
  return changes.slice(from, end)
}
