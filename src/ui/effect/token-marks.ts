import { diffWordsWithSpace } from 'diff'
import { changedRange, type DiffChange } from '#domain/tools/unified-diff.ts'

/** A range of a line, in UTF-16 units from its start. */
export interface Mark {
  readonly start: number
  readonly end: number
}

/** Longer lines are compared by their common beginning and end only. */
const maxTokenCharacters = 1_000
/** Lines that share less of their text have no marked words. */
const minSharedPart = 0.35
/** Larger groups of lines are paired in order. */
const maxPairedLines = 40

/**
 * The words of changed lines that differ from their other versions. Added lines directly after
 * removed ones are their new versions: in order if the numbers are equal, else by similarity. Pure.
 */
export function marksOf(changes: readonly DiffChange[]): Map<DiffChange, readonly Mark[]> {
  const marks = new Map<DiffChange, readonly Mark[]>()
  for (let at = 0; at < changes.length; at += 1) {
    const removed = runOf(changes, at, 'delete')
    if (removed.length === 0) continue
    const added = runOf(changes, at + removed.length, 'insert')
    for (const [before, after] of pairsOf(removed, added)) {
      const pairMarks = marksOfPair(before.content, after.content)
      if (pairMarks === null) continue
      marks.set(before, pairMarks.before)
      marks.set(after, pairMarks.after)
    }
    at += removed.length + added.length - 1
  }
  return marks
}

/** The words that differ between two versions of a line; `null`: nearly all do. Pure. */
function marksOfPair(
  before: string,
  after: string,
): { before: readonly Mark[]; after: readonly Mark[] } | null {
  if (before.length > maxTokenCharacters || after.length > maxTokenCharacters) {
    const { start, beforeEnd, afterEnd } = changedRange(before, after)
    if (start + (before.length - beforeEnd) < 3) return null
    return { before: markOf(start, beforeEnd), after: markOf(start, afterEnd) }
  }
  const marks: { before: Mark[]; after: Mark[] } = { before: [], after: [] }
  const at = { before: 0, after: 0 }
  let shared = 0
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    if (!added && !removed) {
      shared += value.replace(/\s+/g, '').length
      at.before += value.length
      at.after += value.length
      continue
    }
    const side = added ? 'after' : 'before'
    put(marks[side], { start: at[side], end: at[side] + value.length })
    at[side] += value.length
  }
  const longest = Math.max(bare(before).length, bare(after).length)
  return longest === 0 || shared / longest >= minSharedPart ? marks : null
}

function put(marks: Mark[], mark: Mark): void {
  const last = marks.at(-1)
  if (last?.end === mark.start) marks[marks.length - 1] = { start: last.start, end: mark.end }
  else marks.push(mark)
}

function markOf(start: number, end: number): Mark[] {
  return start < end ? [{ start, end }] : []
}

function pairsOf(
  removed: readonly DiffChange[],
  added: readonly DiffChange[],
): (readonly [DiffChange, DiffChange])[] {
  const inOrder = removed.length === added.length || removed.length + added.length > maxPairedLines
  if (inOrder) {
    return removed.flatMap((before, index) => {
      const after = added[index]
      return after === undefined ? [] : [[before, after] as const]
    })
  }
  let from = 0
  return removed.flatMap((before) => {
    const addedIndex = added.findIndex(
      (after, index) => index >= from && isVersion(before.content, after.content),
    )
    const after = added[addedIndex]
    if (after === undefined) return []
    from = addedIndex + 1
    return [[before, after] as const]
  })
}

/** Whether two lines have a common beginning and end that are more than half of their text. */
function isVersion(before: string, after: string): boolean {
  const [one, other] = [bare(before), bare(after)]
  const { start, beforeEnd } = changedRange(one, other)
  const longest = Math.max(one.length, other.length)
  return longest > 0 && (start + (one.length - beforeEnd)) / longest > 0.5
}

function bare(text: string): string {
  return text.replace(/\s+/g, '')
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
