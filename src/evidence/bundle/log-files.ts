import { isUtf8 } from 'node:buffer'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { parseEntriesPath, parseTilePath } from '../tiles/tile-path.ts'
import type { StoredStatement } from './statements.ts'

/**
 * Files of a full export besides those of C2SP tlog-tiles (`checkpoint`, `tile/…`,
 * `tile/entries/…`), which the verdicts on the events need.
 */
export const logFileNames = {
  checkpoint: 'checkpoint',
  /** the keys of the statements, a note that the log's key signs */
  keys: 'keys',
} as const

/** Files of JSON Lines, in parts that are numbered from 0. */
export const logPartNames = {
  /** every checkpoint, the smallest first: a JSON text a line */
  checkpoints: 'checkpoints',
  /** a {@link StoredStatement} a line */
  statements: 'statements',
  /** an {@link UncoveredEvent} a line */
  uncovered: 'uncovered',
  /** paths of stored tiles that the tree does not have: a JSON text a line */
  stray: 'stray',
  /** how the log's keys replaced each other, the first one first: a note as a JSON text a line */
  handovers: 'handovers',
  /** ids of events whose row differs in time, type or subject: a JSON text a line */
  misfiled: 'misfiled',
} as const

/** Path of one part, `statements/0.jsonl`. */
export function partPath(name: string, part: number): string {
  return `${name}/${part}.jsonl`
}

/** An event of the trail that the checkpoint does not cover; `index`: it has a leaf anyway. */
export interface UncoveredEvent {
  readonly index: number | null
  readonly document: string
}

/** The files of a full export by their path with slashes; `null` where there is none. */
export interface LogFiles {
  read(path: string): Uint8Array | null
}

/**
 * The lines of all parts of a JSON Lines file, parsed. Throws `MalformedEvidence` unless each line
 * is exactly what an export writes for its value: whoever reads the file with another parser must
 * read what was verified.
 */
export function readLogLines<T>(files: LogFiles, name: string): T[] {
  const lines: T[] = []
  for (let part = 0; ; part += 1) {
    const path = partPath(name, part)
    const bytes = files.read(path)
    if (bytes === null) return lines
    for (const line of linesOf(bytes, path)) lines.push(readLine(line) as T)
  }
}

/** The same for a file whose lines are JSON texts. */
export function readTexts(files: LogFiles, name: string): string[] {
  return readLogLines<unknown>(files, name).map((line) => {
    if (typeof line === 'string') return line
    throw new MalformedEvidence('A line is not a text')
  })
}

/** The text of a file. Throws `MalformedEvidence` for bytes that many texts could stand for. */
export function textOf(bytes: Uint8Array, path: string): string {
  if (!isUtf8(bytes)) throw new MalformedEvidence(`${path} is not UTF-8`)
  return Buffer.from(bytes).toString('utf8')
}

function linesOf(bytes: Uint8Array, path: string): string[] {
  const lines = textOf(bytes, path).split('\n')
  if (lines.pop() !== '') throw new MalformedEvidence('The last line has no end')
  return lines
}

function readLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    if (JSON.stringify(value) === line) return value
  } catch {
    // Writing throws too, for a value that is nested thousands of levels deep.
  }
  throw new MalformedEvidence('A line is not JSON as an export writes it')
}

/** The statements of an export, checked for their form. Throws for an invalid line. */
export function readStatements(files: LogFiles): StoredStatement[] {
  return readLogLines<Partial<StoredStatement> | null>(files, logPartNames.statements).map(
    asStatement,
  )
}

/** A parsed statement, checked for its form. Throws `MalformedEvidence`. */
export function asStatement(value: Partial<StoredStatement> | null): StoredStatement {
  const { kind, statement, signature, keyId } = value ?? {}
  if (
    typeof kind === 'string' &&
    typeof statement === 'string' &&
    typeof signature === 'string' &&
    typeof keyId === 'string'
  ) {
    return { kind, statement, signature, keyId }
  }
  throw new MalformedEvidence('A statement has a kind, a text, a signature and a key')
}

const parts = Object.values(logPartNames).join('|')
const isPart = new RegExp(`^(${parts})/(0|[1-9]\\d{0,8})\\.jsonl$`)

/** Whether a full export may have a file under this path; unpacking writes no others. */
export function isLogFile(path: string): boolean {
  const names: readonly string[] = Object.values(logFileNames)
  if (names.includes(path) || isPart.test(path)) return true
  return parseTilePath(path) !== null || parseEntriesPath(path) !== null
}
