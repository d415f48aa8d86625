import { useEffect, useMemo, useState } from 'react'
import type { DiffHunk } from '#domain/tools/unified-diff.ts'
import type { WholeFile } from './use-whole-file.ts'

/** The largest number of lines by which one press opens a gap. */
export const linesOfPress = 1_000

/** The opened gaps of a difference, by their position. */
export interface Gaps {
  readonly shownOf: (index: number) => number
  readonly show: (index: number) => void
  readonly unfolded: ReadonlySet<DiffHunk>
  readonly unfold: (hunk: DiffHunk) => void
}

/** Opening the first gap loads the file. Its lines are shown once `isRead`. */
export function useGaps(whole: WholeFile | null, isRead: boolean): Gaps {
  const [linesByGap, setLinesByGap] = useState<ReadonlyMap<number, number>>(new Map())
  const [unfolded, setUnfolded] = useState<ReadonlySet<DiffHunk>>(new Set())
  const isWanted = linesByGap.size > 0 || whole?.isWhole === true
  const load = whole?.load
  useEffect(() => {
    if (isWanted) load?.()
  }, [isWanted, load])
  const all = whole?.isWhole === true
  return useMemo(
    () => ({
      shownOf: (index) => (!isRead ? 0 : all ? Infinity : (linesByGap.get(index) ?? 0)),
      show: (index) =>
        setLinesByGap(
          (before) => new Map([...before, [index, (before.get(index) ?? 0) + linesOfPress]]),
        ),
      unfolded,
      unfold: (hunk) => setUnfolded((before) => new Set([...before, hunk])),
    }),
    [linesByGap, unfolded, isRead, all],
  )
}
