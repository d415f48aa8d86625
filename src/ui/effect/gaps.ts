import type { DiffChange, DiffHunk } from '#domain/tools/unified-diff.ts'

/** Unchanged lines that a difference omits. Line numbers count from 1. */
export interface Gap {
  readonly oldStart: number
  readonly newStart: number
  readonly lines: number
}

/** The omitted lines between two hunks, or before the first. Never negative. Pure. */
export function gapBefore(before: DiffHunk | undefined, hunk: DiffHunk): Gap {
  const oldStart = before === undefined ? 1 : endOf(before, 'old')
  const newStart = before === undefined ? 1 : endOf(before, 'new')
  return { oldStart, newStart, lines: Math.max(0, startOf(hunk, 'old') - oldStart) }
}

/** The omitted lines after the last hunk of a file whose new side has `total` lines. Pure. */
export function gapAfter(last: DiffHunk, total: number): Gap {
  const newStart = endOf(last, 'new')
  return { oldStart: endOf(last, 'old'), newStart, lines: Math.max(0, total - newStart + 1) }
}

/** The lines of a gap as a hunk without changes, from the lines of the new side. Pure. */
export function hunkOfGap(
  { oldStart, newStart, lines }: Gap,
  newLines: readonly string[],
): DiffHunk {
  const changes = newLines
    .slice(newStart - 1, newStart - 1 + lines)
    .map((content, index): DiffChange => ({
      type: 'normal',
      isNormal: true,
      oldLineNumber: oldStart + index,
      newLineNumber: newStart + index,
      content,
      endsWithoutNewline: false,
    }))
  return {
    content: `unchanged ${newStart}`,
    oldStart,
    newStart,
    oldLines: changes.length,
    newLines: changes.length,
    changes,
  }
}

/**
 * The lines of the old side, computed from the lines of the new side and the hunks. `null` if the
 * hunks do not match the lines of the new side; then no lines are shown. Pure.
 */
export function oldLinesOf(
  hunks: readonly DiffHunk[],
  newLines: readonly string[],
): string[] | null {
  const old: string[] = []
  let next = 1
  for (const hunk of hunks) {
    const start = startOf(hunk, 'new')
    if (start < next || start - 1 > newLines.length) return null
    old.push(...newLines.slice(next - 1, start - 1))
    if (old.length !== startOf(hunk, 'old') - 1) return null
    next = start
    for (const change of hunk.changes) {
      if (change.type !== 'insert') old.push(change.content)
      if (change.type === 'delete') continue
      if (newLines[next - 1] !== change.content) return null
      next += 1
    }
  }
  return [...old, ...newLines.slice(next - 1)]
}

/** In this format a side without lines has the number of the line before it. */
function startOf(hunk: DiffHunk, side: 'old' | 'new'): number {
  const { [`${side}Start` as const]: start, [`${side}Lines` as const]: lines } = hunk
  return lines === 0 ? start + 1 : start
}

function endOf(hunk: DiffHunk, side: 'old' | 'new'): number {
  return startOf(hunk, side) + hunk[`${side}Lines` as const]
}
