import type { DiffChange, DiffHunk } from '#domain/tools/unified-diff.ts'

/** Whether a hunk changes white space only: it adds as many lines as it removes. Pure. */
export function isWhiteSpaceOnly({ changes }: DiffHunk): boolean {
  const [before, after] = [ofType(changes, 'delete'), ofType(changes, 'insert')]
  return before.length === after.length && before.every((one, at) => isSame(one, after[at]))
}

/** The changed lines that differ from their other versions in white space only. Pure. */
export function whiteSpaceChanges(hunks: readonly DiffHunk[]): ReadonlySet<DiffChange> {
  const spaceChanges = new Set<DiffChange>()
  for (const { changes } of hunks) {
    let removed: DiffChange[] = []
    let added: DiffChange[] = []
    const settle = (): void => {
      if (removed.length === added.length) {
        for (const [at, before] of removed.entries()) {
          const after = added[at]
          if (after !== undefined && isSame(before, after)) spaceChanges.add(before).add(after)
        }
      }
      removed = []
      added = []
    }
    for (const change of changes) {
      if (change.type === 'insert') added.push(change)
      else if (added.length > 0 || change.type === 'normal') settle()
      if (change.type === 'delete') removed.push(change)
    }
    settle()
  }
  return spaceChanges
}

/** The number of lines in a table of these hunks. */
export function linesIn(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.changes.length, 0)
}

function ofType(changes: readonly DiffChange[], type: 'insert' | 'delete'): DiffChange[] {
  return changes.filter((one) => one.type === type)
}

function isSame(one: DiffChange, other: DiffChange | undefined): boolean {
  return other !== undefined && bare(one) === bare(other)
}

function bare({ content }: DiffChange): string {
  return content.replace(/\s+/g, '')
}
