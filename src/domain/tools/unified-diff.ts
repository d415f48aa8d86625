/** One line of a hunk in the form of the diff view. Line numbers count from 1. */
export type DiffChange =
  | {
      type: 'insert'
      isInsert: true
      lineNumber: number
      content: string
      endsWithoutNewline: boolean
    }
  | {
      type: 'delete'
      isDelete: true
      lineNumber: number
      content: string
      endsWithoutNewline: boolean
    }
  | {
      type: 'normal'
      isNormal: true
      oldLineNumber: number
      newLineNumber: number
      content: string
      endsWithoutNewline: boolean
    }

export interface DiffHunk {
  /** the `@@ … @@` line */
  content: string
  oldStart: number
  newStart: number
  oldLines: number
  newLines: number
  changes: DiffChange[]
}

export interface DiffFile {
  oldPath: string | null
  newPath: string | null
  hunks: DiffHunk[]
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const preamble =
  /^(diff --git |index |Index: |=+$|new file mode |deleted file mode |old mode |new mode )/

/**
 * Parses a unified diff strictly, and counts the lines of every hunk against its header. `null` if
 * anything is not understood, because a wrong difference is worse than a raw one. Pure.
 */
export function parseUnifiedDiff(text: string): DiffFile[] | null {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const files: DiffFile[] = []
  let file: DiffFile | null = null
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
      file = { oldPath: pathOf(line), newPath: pathOf(lines[at + 1] ?? ''), hunks: [] }
      files.push(file)
      at += 2
      continue
    }
    if (line.startsWith('@@ ')) {
      file ??= startFile(files)
      const read = readHunk(lines, at)
      if (read === null) return null
      file.hunks.push(read.hunk)
      at = read.next
      continue
    }
    if (!preamble.test(line)) return null
    at += 1
  }
  return files.some((one) => one.hunks.length > 0) ? files : null
}

function startFile(files: DiffFile[]): DiffFile {
  const file: DiffFile = { oldPath: null, newPath: null, hunks: [] }
  files.push(file)
  return file
}

function readHunk(lines: readonly string[], at: number): { hunk: DiffHunk; next: number } | null {
  const header = lines[at] ?? ''
  const match = hunkHeader.exec(header)
  if (match === null) return null
  const hunk: DiffHunk = {
    content: header,
    oldStart: Number(match[1]),
    newStart: Number(match[3]),
    oldLines: match[2] === undefined ? 1 : Number(match[2]),
    newLines: match[4] === undefined ? 1 : Number(match[4]),
    changes: [],
  }
  let { oldStart: oldLine, newStart: newLine } = hunk
  const oldEnd = oldLine + hunk.oldLines
  const newEnd = newLine + hunk.newLines
  let next = at + 1
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? ''
    const last = hunk.changes.at(-1)
    if (line.startsWith('\\')) {
      if (last === undefined) return null
      last.endsWithoutNewline = true
      continue
    }
    if (oldLine === oldEnd && newLine === newEnd) break
    const content = line.slice(1)
    const endsWithoutNewline = false
    if (line.startsWith('+') && newLine < newEnd) {
      hunk.changes.push({
        type: 'insert',
        isInsert: true,
        lineNumber: newLine,
        content,
        endsWithoutNewline,
      })
      newLine += 1
    } else if (line.startsWith('-') && oldLine < oldEnd) {
      hunk.changes.push({
        type: 'delete',
        isDelete: true,
        lineNumber: oldLine,
        content,
        endsWithoutNewline,
      })
      oldLine += 1
    } else if (line.startsWith(' ') && oldLine < oldEnd && newLine < newEnd) {
      const numbers = { oldLineNumber: oldLine, newLineNumber: newLine }
      hunk.changes.push({ type: 'normal', isNormal: true, ...numbers, content, endsWithoutNewline })
      oldLine += 1
      newLine += 1
    } else return null
  }
  return oldLine === oldEnd && newLine === newEnd ? { hunk, next } : null
}

function pathOf(line: string): string | null {
  const path = (line.slice(4).split('\t')[0] ?? '').replace(/^[ab]\//, '')
  return path === '/dev/null' || path === '' ? null : path
}

/** Where two versions of a line differ, without their common beginning and end. Pure. */
export function changedRange(
  before: string,
  after: string,
): { start: number; beforeEnd: number; afterEnd: number } {
  const maxShared = Math.min(before.length, after.length)
  let start = 0
  while (start < maxShared && before[start] === after[start]) start += 1
  let tail = 0
  while (
    tail < maxShared - start &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1
  return { start, beforeEnd: before.length - tail, afterEnd: after.length - tail }
}
