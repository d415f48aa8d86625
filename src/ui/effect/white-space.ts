import type { DiffHunk } from './unified-diff.ts'

/** Neighbouring hunks that all change white space alone, or all change more than that. */
export interface HunkGroup {
  readonly whiteSpaceOnly: boolean
  readonly hunks: DiffHunk[]
}

/**
 * Groups the hunks of a file, in order. A hunk that adds or takes away a line changes more than
 * white space. Pure.
 */
export function splitByWhiteSpace(hunks: readonly DiffHunk[]): HunkGroup[] {
  const groups: HunkGroup[] = []
  for (const hunk of hunks) {
    const whiteSpaceOnly = isWhiteSpaceOnly(hunk)
    const last = groups.at(-1)
    if (last?.whiteSpaceOnly === whiteSpaceOnly) last.hunks.push(hunk)
    else groups.push({ whiteSpaceOnly, hunks: [hunk] })
  }
  return groups
}

/** Lines that a table of these hunks draws. */
export function linesIn(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.changes.length, 0)
}

function isWhiteSpaceOnly({ changes }: DiffHunk): boolean {
  const bare = (type: 'insert' | 'delete'): string[] =>
    changes.filter((one) => one.type === type).map((one) => one.content.replace(/\s+/g, ''))
  const [before, after] = [bare('delete'), bare('insert')]
  return before.length === after.length && before.every((text, index) => text === after[index])
}
