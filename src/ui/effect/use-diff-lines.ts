import { useMemo } from 'react'
import type { DiffChange, DiffFile, DiffHunk } from '#domain/tools/unified-diff.ts'
import { gapAfter, gapBefore, hunkOfGap, oldLinesOf, type Gap } from './gaps.ts'
import { usePaint, whyUnpainted } from './highlight/use-paint.ts'
import { lineTokens } from './line-tokens.ts'
import { useDiffSetting } from './settings/diff-settings.ts'
import { useGaps } from './use-gaps.ts'
import type { WholeFile } from './use-whole-file.ts'
import { isWhiteSpaceOnly, whiteSpaceChanges } from './white-space.ts'

/** The lines of both sides of a file. */
interface Sides {
  readonly old: readonly string[]
  readonly new: readonly string[]
}

/**
 * The lines of a difference as they are drawn: their tokens, what is folded, and what of the file
 * around them is open.
 */
export function useDiffLines({ hunks, oldPath, newPath }: DiffFile, whole: WholeFile | null) {
  const ignoring = useDiffSetting('ignoreWhiteSpace')
  const newLines = whole?.lines ?? null
  const sides = useMemo(() => sidesOf(hunks, newLines), [hunks, newLines])
  const gaps = useGaps(whole, sides !== null)
  const folds = useMemo(
    () => new Set(ignoring ? hunks.filter(isWhiteSpaceOnly) : []),
    [hunks, ignoring],
  )
  const quiet = useMemo(
    () => (ignoring ? whiteSpaceChanges(hunks) : new Set<DiffChange>()),
    [hunks, ignoring],
  )
  const texts = useMemo(() => textsOf(hunks, sides), [hunks, sides])
  const paint = usePaint(newPath ?? oldPath ?? '', texts)
  const openedHunks = useMemo(() => {
    if (newLines === null) return []
    return allGaps(hunks, newLines.length).map((gap, index) =>
      hunkOfGap({ ...gap, lines: Math.min(gap.lines, gaps.shownOf(index)) }, newLines),
    )
  }, [hunks, newLines, gaps])
  const tokens = useMemo(
    () =>
      lineTokens({
        hunks,
        visibleHunks: openedHunks,
        colours: paint.texts,
        isWhole: sides !== null,
        quiet,
      }),
    [hunks, openedHunks, paint.texts, sides, quiet],
  )
  return {
    gaps,
    /** hunks of white space only, which are drawn folded */
    folds,
    /** changes of white space only, whose words are not marked */
    quiet,
    /** the opened lines of each gap, as hunks without changes */
    openedHunks,
    tokens,
    whyUnpainted: whyUnpainted(paint),
    /** the lines of the whole file; null: it is not loaded */
    newLines,
    /** the difference does not match the whole file, so nothing of the file is shown */
    isMismatch: newLines !== null && sides === null,
  }
}

function sidesOf(hunks: readonly DiffHunk[], newLines: readonly string[] | null): Sides | null {
  const oldLines = newLines === null ? null : oldLinesOf(hunks, newLines)
  return newLines === null || oldLines === null ? null : { old: oldLines, new: newLines }
}

function allGaps(hunks: readonly DiffHunk[], total: number): Gap[] {
  const last = hunks.at(-1)
  const before = hunks.map((hunk, index) => gapBefore(hunks[index - 1], hunk))
  return last === undefined ? [] : [...before, gapAfter(last, total)]
}

/** The texts to colour: both whole sides, or both sides of each hunk. */
function textsOf(hunks: readonly DiffHunk[], sides: Sides | null): readonly string[] {
  if (sides !== null) return [sides.old.join('\n'), sides.new.join('\n')]
  const without = (hunk: DiffHunk, type: 'insert' | 'delete'): string =>
    hunk.changes
      .filter((change) => change.type !== type)
      .map(({ content }) => content)
      .join('\n')
  return hunks.flatMap((hunk) => [without(hunk, 'insert'), without(hunk, 'delete')])
}
