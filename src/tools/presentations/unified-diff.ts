import { lineChanges, type LineChange } from './line-changes.ts'

/** A unified diff with exact counts of lines. */
export interface UnifiedDiff {
  readonly text: string
  readonly added: number
  readonly removed: number
  /** the added lines, without the sign */
  readonly addedLines: readonly string[]
  /** lines in which only white space changes */
  readonly whiteSpaceOnly: number
}

type Names = { readonly before: string | null; readonly after: string | null }

const context = 3

/**
 * The unified diff of two texts, with three lines of context and nothing ignored. `null` as a name
 * is `/dev/null`. Pure. The time for each line is bounded, so large inputs belong in a thread
 * (difference.ts).
 */
export function unifiedDiff(names: Names, before: string, after: string): UnifiedDiff {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  return writeDiff(names, old, fresh, lineChanges(old, fresh))
}

/** The diff that removes the whole old text and adds the new one. */
export function wholeDiff(names: Names, before: string, after: string): UnifiedDiff {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const complete: LineChange = { isSame: false, before: [0, old.length], after: [0, fresh.length] }
  return writeDiff(names, old, fresh, [complete])
}

/** Lines with their line feed; the last one may lack it. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => `${line}\n`)
  const last = lines.pop()?.slice(0, -1) ?? ''
  return last === '' ? lines : [...lines, last]
}

function writeDiff(
  names: Names,
  before: readonly string[],
  after: readonly string[],
  changes: readonly LineChange[],
): UnifiedDiff {
  const lines = [
    `--- ${names.before === null ? '/dev/null' : `a/${names.before}`}`,
    `+++ ${names.after === null ? '/dev/null' : `b/${names.after}`}`,
  ]
  const addedLines: string[] = []
  let removed = 0
  let whiteSpaceOnly = 0
  const put = (sign: string, text: string): void => {
    if (text.endsWith('\n')) lines.push(sign + text.slice(0, -1))
    else lines.push(sign + text, '\\ No newline at end of file')
  }
  for (const hunk of hunksOf(changes, before.length, after.length)) {
    const [a, b] = [hunk.before, hunk.after]
    lines.push(`@@ -${range(a)} +${range(b)} @@`)
    for (const change of hunk.changes) {
      const old = before.slice(...change.before)
      if (change.isSame) {
        for (const text of old) put(' ', text)
        continue
      }
      const fresh = after.slice(...change.after)
      for (const text of old) put('-', text)
      for (const text of fresh) {
        put('+', text)
        addedLines.push(text.endsWith('\n') ? text.slice(0, -1) : text)
      }
      removed += old.length
      whiteSpaceOnly += sameButWhiteSpace(old, fresh)
    }
  }
  const text = `${lines.join('\n')}\n`
  return { text, added: addedLines.length, removed, addedLines, whiteSpaceOnly }
}

interface Hunk {
  readonly before: readonly [from: number, to: number]
  readonly after: readonly [from: number, to: number]
  readonly changes: readonly LineChange[]
}

/** Changes with their context; those with overlapping contexts are one hunk. */
function hunksOf(changes: readonly LineChange[], old: number, fresh: number): Hunk[] {
  const real = changes.filter((change) => !change.isSame)
  const hunks: LineChange[][] = []
  for (const change of real) {
    const open = hunks.at(-1)
    const end = open?.at(-1)?.before[1]
    if (open !== undefined && end !== undefined && change.before[0] - end <= 2 * context) {
      open.push(change)
    } else hunks.push([change])
  }
  return hunks.flatMap((inside) => {
    const [first, last] = [inside[0], inside.at(-1)]
    if (first === undefined || last === undefined) return []
    const lead = Math.min(context, first.before[0])
    const tail = Math.min(context, old - last.before[1])
    const from: LineChange = {
      isSame: true,
      before: [first.before[0] - lead, first.before[0]],
      after: [first.after[0] - lead, first.after[0]],
    }
    const to: LineChange = {
      isSame: true,
      before: [last.before[1], last.before[1] + tail],
      after: [last.after[1], Math.min(fresh, last.after[1] + tail)],
    }
    const between = inside.flatMap((change, index) => {
      const next = inside[index + 1]
      if (next === undefined) return [change]
      const gap: LineChange = {
        isSame: true,
        before: [change.before[1], next.before[0]],
        after: [change.after[1], next.after[0]],
      }
      return [change, gap]
    })
    return [
      {
        before: [from.before[0], to.before[1]],
        after: [from.after[0], to.after[1]],
        changes: [from, ...between, to],
      } satisfies Hunk,
    ]
  })
}

/** The format requires that an empty side has the number of the line before it. */
function range([from, to]: readonly [number, number]): string {
  const lines = to - from
  const start = lines === 0 ? from : from + 1
  return lines === 1 ? `${start}` : `${start},${lines}`
}

function sameButWhiteSpace(old: readonly string[], fresh: readonly string[]): number {
  if (old.length !== fresh.length) return 0
  const bare = (text: string): string => text.replace(/\s+/g, '')
  return old.filter((text, index) => bare(text) === bare(fresh[index] ?? '')).length
}
