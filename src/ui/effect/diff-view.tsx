import { useCallback, type ReactElement } from 'react'
import { Diff, Hunk, type ChangeData, type GutterOptions, type TokenNode } from 'react-diff-view'
import { UncountedSecrets } from '../text/secret-chips.tsx'
import { VisibleLine } from '../text/visible-text.tsx'
import { Fold, GapRow } from './gap-row.tsx'
import { gapAfter, gapBefore, type Gap } from './gaps.ts'
import type { LineToken } from './line-tokens.ts'
import { type LineComments, useLineWidgets } from './line-comments.ts'
import { OffSide } from './off-side.tsx'
import { useDiffSetting } from './settings/diff-settings.ts'
import type { DiffChange, DiffFile, DiffHunk } from '#domain/tools/unified-diff.ts'
import { useDiffLines } from './use-diff-lines.ts'
import type { WholeFile } from './use-whole-file.ts'
import './diff-view.css'
import './code.css'

/** Options of a difference on a page of its own. */
export interface DiffExtras {
  readonly whole?: WholeFile | null
  readonly lineComments?: LineComments | undefined
  /** called with whether all is drawn: nothing folded, nothing beyond its right edge */
  readonly onComplete?: (isComplete: boolean) => void
}

/**
 * One file of a difference, in one column or two. Every line is a `VisibleLine`; nothing is
 * interpreted as markup.
 */
export function DiffView({
  file,
  split,
  whole = null,
  lineComments,
  onComplete,
}: { file: DiffFile; split: boolean } & DiffExtras) {
  const { hunks } = file
  const wrap = useDiffSetting('wrap')
  const lines = useDiffLines(file, whole)
  const { gaps, folds, quiet, openedHunks, newLines, isMismatch } = lines
  const lineClass = useCallback(
    ({ changes, defaultGenerate }: LineClassOf) =>
      changes.some((change) => quiet.has(change as DiffChange))
        ? `${defaultGenerate() ?? ''} diff-quiet`
        : defaultGenerate(),
    [quiet],
  )
  const path = file.newPath ?? file.oldPath ?? ''
  const { gutterEvents, widgets } = useLineWidgets(lineComments, path, hunks, openedHunks)
  const columns = split ? 4 : 3
  const gapRow = (index: number, gap: Gap) => (
    <GapRow
      key={`gap ${index}`}
      gap={gap}
      linesAbove={gaps.shownOf(index)}
      columns={columns}
      canShow={whole !== null && whole.problem === null && !isMismatch}
      isLoading={whole?.isLoading ?? false}
      isNew={file.oldPath === null}
      onShow={() => gaps.show(index)}
    />
  )
  const last = hunks.at(-1)
  return (
    <OffSide
      wrap={wrap}
      // Folded lines have not been on the screen.
      isComplete={[...folds].every((hunk) => gaps.unfolded.has(hunk))}
      onComplete={onComplete}
    >
      <Diff
        diffType={file.oldPath === null ? 'add' : file.newPath === null ? 'delete' : 'modify'}
        viewType={split ? 'split' : 'unified'}
        hunks={hunks}
        tokens={lines.tokens}
        widgets={widgets}
        renderToken={renderLine}
        renderGutter={gutter}
        generateLineClassName={lineClass}
        {...(gutterEvents !== null && { gutterEvents, gutterClassName: 'diff-gutter-comments' })}
      >
        {() => [
          ...hunks.flatMap((hunk, index) => [
            ...openedHunk(openedHunks[index]),
            gapRow(index, gapBefore(hunks[index - 1], hunk)),
            folds.has(hunk) && !gaps.unfolded.has(hunk) ? (
              <Fold key={hunk.content} hunk={hunk} columns={columns} onShow={gaps.unfold} />
            ) : (
              <Hunk key={hunk.content} hunk={hunk} />
            ),
          ]),
          ...openedHunk(openedHunks[hunks.length]),
          ...(last !== undefined && whole !== null && mayGoOn(last)
            ? [
                gapRow(hunks.length, {
                  ...gapAfter(last, newLines?.length ?? 0),
                  ...(newLines === null && { lines: Infinity }),
                }),
              ]
            : []),
        ]}
      </Diff>
      {lines.whyUnpainted !== null && <p className="code-note dim">{lines.whyUnpainted}</p>}
      <Problem what={whole?.problem ?? null} />
      <Problem what={isMismatch ? mismatch : null} />
    </OffSide>
  )
}

const mismatch =
  'The lines between are not shown: the stored file differs from the file that this call changes.'

function Problem({ what }: { what: string | null }) {
  if (what === null) return null
  return (
    <p role="alert" className="code-note">
      {what}
    </p>
  )
}

interface LineClassOf {
  readonly changes: readonly ChangeData[]
  readonly defaultGenerate: () => string | undefined
}

function openedHunk(hunk: DiffHunk | undefined): ReactElement[] {
  return hunk === undefined || hunk.changes.length === 0
    ? []
    : [<Hunk key={hunk.content} hunk={hunk} />]
}

/** A difference that ends with fewer than three context lines ends at the end of the file. */
function mayGoOn({ changes }: DiffHunk): boolean {
  const tail = changes.slice(-3)
  return tail.length === 3 && tail.every(({ type }) => type === 'normal')
}

function renderLine(token: TokenNode, _default: unknown, index: number): ReactElement {
  return <Line key={index} token={token as LineToken} />
}

function Line({ token }: { token: LineToken }) {
  const line = <VisibleLine line={token.text} runs={token.runs} />
  return (
    <>
      {token.isAround ? <UncountedSecrets>{line}</UncountedSecrets> : line}
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
