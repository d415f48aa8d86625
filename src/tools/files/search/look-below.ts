import { availableParallelism } from 'node:os'
import type { Workspace } from '#domain/tools/workspace.ts'
import { type WorkspaceProblemCode, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { ReadingBounds, MayRead } from './may-read.ts'
import { gatherFromThread } from '../../threads/run-in-thread.ts'
import { Semaphore } from '../../threads/semaphore.ts'
import type { LineMatch } from './search-lines.ts'

/** What is looked for below a folder. */
export type LookTask =
  | { readonly do: 'list'; readonly glob?: string | undefined }
  | { readonly do: 'search'; readonly pattern: string; readonly glob?: string | undefined }

/** An entry of a folder. */
export interface ListedEntry {
  readonly path: string
  readonly kind: string
  readonly bytes: number
}

export type FileLineMatch = LineMatch & { readonly path: string }

/** The input of the thread. */
export interface LookSetup {
  readonly root: string
  readonly hidden: readonly string[]
  readonly folder: string
  readonly bounds: ReadingBounds
  readonly task: LookTask
  readonly limitMs: number
}

/** One message of the thread per result: those that arrive before the limit count. */
export type LookMessage =
  | { readonly results: readonly (ListedEntry | FileLineMatch)[]; readonly files: number }
  | { readonly end: { readonly truncated: boolean; readonly notes: readonly string[] } }
  | { readonly problem: { code: WorkspaceProblemCode; path: string; message: string } }

/** What was found below a folder. */
export interface SearchResult<Found> {
  readonly results: readonly Found[]
  /** files that were searched to their end */
  readonly files: number
  readonly truncated: boolean
  readonly notes: readonly string[]
}

const limitMs = 20_000
/** A thread that has not ended by itself by then is blocked by one file. */
const graceMs = 3_000
/** More concurrent threads would leave nothing of the host to other work. */
const semaphore = new Semaphore(Math.max(2, availableParallelism()))

/**
 * Lists or searches a folder in a thread, which is ended if it takes too long. Neither 100,000
 * files nor a slow pattern blocks anything else (security.md 27). Throws the workspace's refusal of
 * the folder.
 */
export function lookBelow(
  task: Extract<LookTask, { do: 'list' }>,
  context: LookContext,
): Promise<SearchResult<ListedEntry>>
export function lookBelow(
  task: Extract<LookTask, { do: 'search' }>,
  context: LookContext,
): Promise<SearchResult<FileLineMatch>>
export async function lookBelow(
  task: LookTask,
  { workspace, folder, bounds, signal }: LookContext,
): Promise<SearchResult<ListedEntry | FileLineMatch>> {
  const { root, hidden } = workspace
  const setup: LookSetup = { root, hidden, folder, bounds, task, limitMs }
  const results: (ListedEntry | FileLineMatch)[] = []
  let files = 0
  let end = { truncated: true, notes: [stoppedAt(limitMs)] as readonly string[] }
  let problem: WorkspaceProblem | null = null
  const take = (message: LookMessage): boolean => {
    if ('results' in message) {
      results.push(...message.results)
      files = message.files
      return false
    }
    if ('end' in message) end = message.end
    else {
      const { code, path, message: sentence } = message.problem
      problem = new WorkspaceProblem(code, path, sentence)
    }
    return true
  }
  const script = new URL('look-thread.ts', import.meta.url)
  const options = { limitMs: limitMs + graceMs, signal, take }
  await semaphore.run(signal, () => gatherFromThread<LookMessage>(script, setup, options))
  if (problem !== null) throw problem
  return { results, files, ...end }
}

export interface LookContext {
  readonly workspace: Workspace
  readonly folder: string
  readonly bounds: ReadingBounds
  readonly signal: AbortSignal
}

/** The remark that the time was over. */
export function stoppedAt(afterMs: number): string {
  return `stopped after ${afterMs / 1000} s; narrow path or glob`
}

/** The context of a search below a folder, in its thread. */
export interface FolderLook {
  readonly workspace: Workspace
  readonly folder: string
  readonly mayRead: MayRead
  /** when to stop, by `performance.now()` */
  readonly until: number
  readonly limitMs: number
  report(message: LookMessage): void
}

/** How a search ended: why results are missing, and other remarks. */
export interface LookEnd {
  readonly truncated: boolean
  readonly notes: readonly string[]
}
