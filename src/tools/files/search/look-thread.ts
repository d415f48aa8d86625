import { workerData } from 'node:worker_threads'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { mayReadWithin } from './may-read.ts'
import { send } from '../../threads/run-in-thread.ts'
import {
  type LookMessage,
  type LookSetup,
  stoppedAt,
  type ListedEntry,
  type LookEnd,
  type FolderLook,
} from './look-below.ts'
import { globMatcher, compilePattern } from './patterns.ts'
import { walkFiles } from './walk-files.ts'
import { decodeText } from '../../presentations/file-kind.ts'
import { searchLines } from './search-lines.ts'

const maxMatches = 500
const maxFileBytes = 8 * 1024 * 1024
const maxFiles = 20_000

/** Sends the lines of text files below a folder that match, file by file. */
async function searchBelow(
  { workspace, folder, mayRead, until, limitMs, report }: FolderLook,
  { pattern, glob }: { readonly pattern: string; readonly glob?: string | undefined },
): Promise<LookEnd> {
  const matches = globMatcher(glob)
  const expression = compilePattern(pattern)
  const skipCounts = { closed: 0, large: 0 }
  let files = 0
  let matchCount = 0
  let stopped: string | null = null
  for await (const entry of walkFiles(workspace, folder, mayRead, Number.MAX_SAFE_INTEGER)) {
    if (performance.now() > until) stopped = stoppedAt(limitMs)
    else if (files >= maxFiles) stopped = `stopped after ${maxFiles} files; narrow path or glob`
    if (stopped !== null) break
    if (entry.state.kind !== 'file' || !matches(entry.below)) continue
    if (entry.isClosed) skipCounts.closed += 1
    else if (entry.state.bytes > maxFileBytes) skipCounts.large += 1
    else {
      const text = await textAt(workspace, entry.path)
      if (text === null) continue
      const answer = searchLines(expression, text, maxMatches - matchCount)
      files += 1
      matchCount += answer.matches.length
      if (answer.matches.length > 0 || files % 100 === 0) {
        report({ results: answer.matches.map((match) => ({ path: entry.path, ...match })), files })
      }
      if (answer.more) stopped = `only the first ${maxMatches} matches are given`
    }
    if (stopped !== null) break
  }
  report({ results: [], files })
  const notes = stopped === null ? [] : [stopped]
  if (skipCounts.closed > 0) {
    notes.push(`${skipCounts.closed} files not searched: reading them needs its own approval`)
  }
  if (skipCounts.large > 0) {
    notes.push(`${skipCounts.large} files not searched: larger than ${maxFileBytes} bytes`)
  }
  return { truncated: stopped !== null, notes }
}

/** `null` for content that is not text, and for a file that no longer exists. */
async function textAt(workspace: Workspace, path: string): Promise<string | null> {
  try {
    return decodeText(await workspace.read(path, { maxBytes: maxFileBytes }))
  } catch (error) {
    if (error instanceof WorkspaceProblem) return null
    throw error
  }
}

const maxEntries = 2000
const batchSize = 100

/** Sends the entries of a folder; with a glob, everything below it that matches. */
async function listBelow(
  { workspace, folder, mayRead, until, limitMs, report }: FolderLook,
  { glob }: { readonly glob?: string | undefined },
): Promise<LookEnd> {
  const matches = globMatcher(glob)
  let entries: ListedEntry[] = []
  let count = 0
  let more: string | null = null
  const flush = (): void => {
    report({ results: entries, files: 0 })
    entries = []
  }
  const maxVisited = glob === undefined ? maxEntries + 1 : Number.MAX_SAFE_INTEGER
  for await (const entry of walkFiles(workspace, folder, mayRead, maxVisited)) {
    if (glob === undefined && entry.below.includes('/')) break
    if (performance.now() > until) more = stoppedAt(limitMs)
    else if (count >= maxEntries) {
      more = `only the first ${maxEntries} entries are listed; narrow path or glob`
    }
    if (more !== null) break
    if (!matches(entry.below)) continue
    count += 1
    entries.push({ path: entry.path, kind: entry.state.kind, bytes: entry.state.bytes })
    if (entries.length >= batchSize) flush()
  }
  flush()
  return { truncated: more !== null, notes: more === null ? [] : [more] }
}

/** Runs in a worker thread: one look below a folder (look-below.ts). */
const setup = workerData as LookSetup
const report = (message: LookMessage): void => send(message)

send('loaded')
report(await look())

async function look(): Promise<LookMessage> {
  const { root, hidden, folder, bounds, task, limitMs } = setup
  try {
    const looking = {
      workspace: await openWorkspace({ root, hidden }),
      folder,
      mayRead: mayReadWithin(bounds),
      until: performance.now() + limitMs,
      limitMs,
      report,
    }
    return {
      end: await (task.do === 'list' ? listBelow(looking, task) : searchBelow(looking, task)),
    }
  } catch (error) {
    if (!(error instanceof WorkspaceProblem)) throw error
    const { code, path, message } = error
    return { problem: { code, path, message } }
  }
}
