import { structuredPatch } from 'diff'

/** A unified diff with exact counts of lines. */
export interface UnifiedDiff {
  readonly text: string
  readonly added: number
  readonly removed: number
  /** the added lines, without the sign */
  readonly addedLines: readonly string[]
}

/**
 * The unified diff of two texts, three lines of context, nothing ignored. `null` as a name is `/dev/null`. Pure; its
 * time grows with the square of the differences, so large inputs belong in a thread (difference.ts).
 */
export function unifiedDiff(
  names: { readonly before: string | null; readonly after: string | null },
  before: string,
  after: string,
): UnifiedDiff {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3 })
  const lines = [
    `--- ${names.before === null ? '/dev/null' : `a/${names.before}`}`,
    `+++ ${names.after === null ? '/dev/null' : `b/${names.after}`}`,
  ]
  const addedLines: string[] = []
  let removed = 0
  for (const hunk of patch.hunks) {
    lines.push(
      `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
    )
    for (const line of hunk.lines) {
      lines.push(line)
      if (line.startsWith('+')) addedLines.push(line.slice(1))
      if (line.startsWith('-')) removed += 1
    }
  }
  return { text: `${lines.join('\n')}\n`, added: addedLines.length, removed, addedLines }
}

/** The format's quirk: of an empty side, the line before is given. */
function range(first: number, lines: number): string {
  const start = lines === 0 ? first - 1 : first
  return lines === 1 ? `${start}` : `${start},${lines}`
}
