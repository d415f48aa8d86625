import { useCallback, useMemo, type ReactElement, type ReactNode } from 'react'
import {
  Diff,
  getChangeKey,
  Hunk,
  type ChangeData,
  type GutterOptions,
  type TokenNode,
} from 'react-diff-view'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { VisibleLine } from '../text/visible-text.tsx'
import { useDiffSetting } from './settings/diff-settings.ts'
import { Fold, GapRow } from './gap-row.tsx'
import { gapAfter, gapBefore, hunkOfGap, oldLinesOf, type Gap } from './gaps.ts'
import { usePaint, whyUnpainted } from './highlight/use-paint.ts'
import { lineTokens, type LineToken } from './line-tokens.ts'
import { OffSide } from './off-side.tsx'
import { UncountedSecrets } from '../text/secret-chips.tsx'
import type { DiffChange, DiffFile, DiffHunk } from '#domain/tools/unified-diff.ts'
import { useGaps } from './use-gaps.ts'
import type { WholeFile } from './use-whole-file.ts'
import { isWhiteSpaceOnly, whiteSpaceChanges } from './white-space.ts'
import './diff-view.css'
import './code.css'

/** Notes below the lines of a difference, and how to write one. */
export interface LineNotes {
  /** the content below a line; null: nothing */
  readonly below: (anchor: CommentAnchor) => ReactNode
  readonly onWrite: ((anchor: CommentAnchor) => void) | null
}

/** Options of a difference on a page of its own. */
export interface DiffExtras {
  readonly whole?: WholeFile | null
  readonly notes?: LineNotes | undefined
  /**
   * called with whether all of it is drawn: nothing is folded, and nothing is beyond its right edge
   */
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
  notes,
  onComplete,
}: { file: DiffFile; split: boolean } & DiffExtras) {
  const { hunks } = file
  const path = file.newPath ?? file.oldPath ?? ''
  const wrap = useDiffSetting('wrap')
  const ignoring = useDiffSetting('ignoreWhiteSpace')
  const newLines = whole?.lines ?? null
  const oldLines = useMemo(
    () => (newLines === null ? null : oldLinesOf(hunks, newLines)),
    [hunks, newLines],
  )
  const lines = useMemo(
    () => (newLines === null || oldLines === null ? null : { old: oldLines, new: newLines }),
    [oldLines, newLines],
  )
  const gaps = useGaps(whole, lines !== null)
  const folds = useMemo(
    () => new Set(ignoring ? hunks.filter(isWhiteSpaceOnly) : []),
    [hunks, ignoring],
  )
  const texts = useMemo(() => textsOf(hunks, lines), [hunks, lines])
  const paint = usePaint(path, texts)
  const quiet = useMemo(
    () => (ignoring ? whiteSpaceChanges(hunks) : new Set<DiffChange>()),
    [hunks, ignoring],
  )
  const visible = useMemo(() => {
    if (newLines === null) return []
    return allGaps(hunks, newLines.length).map((gap, index) =>
      hunkOfGap({ ...gap, lines: Math.min(gap.lines, gaps.shownOf(index)) }, newLines),
    )
  }, [hunks, newLines, gaps])
  const tokens = useMemo(
    () =>
      lineTokens({
        hunks,
        visibleHunks: visible,
        colours: paint.texts,
        isWhole: lines !== null,
        quiet,
      }),
    [hunks, visible, paint.texts, lines, quiet],
  )
  const lineClass = useCallback(
    ({ changes, defaultGenerate }: LineClassOf) =>
      changes.some((change) => quiet.has(change as DiffChange))
        ? `${defaultGenerate() ?? ''} diff-quiet`
        : defaultGenerate(),
    [quiet],
  )
  const onWrite = notes?.onWrite ?? null
  const gutterEvents = useMemo(
    () =>
      onWrite && {
        onClick: ({ change }: OfChange) => change && onWrite(anchorOf(path, change as DiffChange)),
      },
    [onWrite, path],
  )
  const below = notes?.below
  const widgets = useMemo(() => {
    const changes =
      below === undefined ? [] : [...hunks, ...visible].flatMap((hunk) => hunk.changes)
    return Object.fromEntries(
      changes.flatMap((change) => {
        const widget = below?.(anchorOf(path, change)) ?? null
        return widget === null ? [] : [[getChangeKey(change), widget] as const]
      }),
    )
  }, [below, hunks, visible, path])
  const columns = split ? 4 : 3
  const gapRow = (index: number, gap: Gap) => (
    <GapRow
      key={`gap ${index}`}
      gap={gap}
      linesAbove={gaps.shownOf(index)}
      columns={columns}
      canShow={whole !== null && whole.problem === null && (newLines === null || lines !== null)}
      isLoading={whole?.isLoading ?? false}
      isNew={file.oldPath === null}
      onShow={() => gaps.show(index)}
    />
  )
  const last = hunks.at(-1)
  const why = whyUnpainted(paint)
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
        tokens={tokens}
        widgets={widgets}
        renderToken={renderLine}
        renderGutter={gutter}
        generateLineClassName={lineClass}
        {...(gutterEvents !== null && { gutterEvents, gutterClassName: 'diff-gutter-notes' })}
      >
        {() => [
          ...hunks.flatMap((hunk, index) => [
            ...shownHunk(visible[index]),
            gapRow(index, gapBefore(hunks[index - 1], hunk)),
            folds.has(hunk) && !gaps.unfolded.has(hunk) ? (
              <Fold key={hunk.content} hunk={hunk} columns={columns} onShow={gaps.unfold} />
            ) : (
              <Hunk key={hunk.content} hunk={hunk} />
            ),
          ]),
          ...shownHunk(visible[hunks.length]),
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
      {why !== null && <p className="code-note dim">{why}</p>}
      {whole !== null && whole.problem !== null && (
        <p role="alert" className="code-note">
          {whole.problem}
        </p>
      )}
      {newLines !== null && lines === null && (
        <p role="alert" className="code-note">
          The lines between are not shown: the stored file differs from the file that this call
          changes.
        </p>
      )}
    </OffSide>
  )
}

interface LineClassOf {
  readonly changes: readonly ChangeData[]
  readonly defaultGenerate: () => string | undefined
}

interface OfChange {
  readonly change: ChangeData | null
}

function allGaps(hunks: readonly DiffHunk[], total: number): Gap[] {
  const last = hunks.at(-1)
  const before = hunks.map((hunk, index) => gapBefore(hunks[index - 1], hunk))
  return last === undefined ? [] : [...before, gapAfter(last, total)]
}

function shownHunk(hunk: DiffHunk | undefined): ReactElement[] {
  return hunk === undefined || hunk.changes.length === 0
    ? []
    : [<Hunk key={hunk.content} hunk={hunk} />]
}

/** A difference that ends with fewer than three context lines ends at the end of the file. */
function mayGoOn({ changes }: DiffHunk): boolean {
  const tail = changes.slice(-3)
  return tail.length === 3 && tail.every(({ type }) => type === 'normal')
}

/** The texts to colour: both whole sides, or both sides of each hunk. */
function textsOf(
  hunks: readonly DiffHunk[],
  lines: { readonly old: readonly string[]; readonly new: readonly string[] } | null,
): readonly string[] {
  if (lines !== null) return [lines.old.join('\n'), lines.new.join('\n')]
  const without = (hunk: DiffHunk, type: 'insert' | 'delete'): string =>
    hunk.changes
      .filter((change) => change.type !== type)
      .map(({ content }) => content)
      .join('\n')
  return hunks.flatMap((hunk) => [without(hunk, 'insert'), without(hunk, 'delete')])
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

/** The anchor of a line. An unchanged line is a line of the new side. */
function anchorOf(file: string, change: DiffChange): CommentAnchor {
  if (change.type === 'normal') return { file, side: 'new', line: change.newLineNumber }
  return { file, side: change.type === 'insert' ? 'new' : 'old', line: change.lineNumber }
}
