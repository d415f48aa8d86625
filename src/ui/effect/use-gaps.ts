import { useEffect, useMemo, useState } from 'react'
import type { DiffHunk } from './unified-diff.ts'
import type { WholeFile } from './use-whole-file.ts'

/** A gap is opened by at most so many lines at a time. */
export const linesAtOnce = 1_000

/** Which left-out lines of a difference are open, by the place of their gap. */
export interface Gaps {
  readonly shownOf: (index: number) => number
  readonly show: (index: number) => void
  readonly unfolded: ReadonlySet<DiffHunk>
  readonly unfold: (hunk: DiffHunk) => void
}

/** Opening the first gap reads the file: its lines come as soon as `isRead`. */
export function useGaps(whole: WholeFile | null, isRead: boolean): Gaps {
  const [opened, setOpened] = useState<ReadonlyMap<number, number>>(new Map())
  const [unfolded, setUnfolded] = useState<ReadonlySet<DiffHunk>>(new Set())
  const isWanted = opened.size > 0 || whole?.isWhole === true
  const load = whole?.load
  useEffect(() => {
    if (isWanted) load?.()
  }, [isWanted, load])
  const all = whole?.isWhole === true
  return useMemo(
    () => ({
      shownOf: (index) => (!isRead ? 0 : all ? Infinity : (opened.get(index) ?? 0)),
      show: (index) =>
        setOpened(
          (before) => new Map([...before, [index, (before.get(index) ?? 0) + linesAtOnce]]),
        ),
      unfolded,
      unfold: (hunk) => setUnfolded((before) => new Set([...before, hunk])),
    }),
    [opened, unfolded, isRead, all],
  )
}
