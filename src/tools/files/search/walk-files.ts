import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { nameProblem } from '#sandbox/names/path-names.ts'
import type { MayRead } from './may-read.ts'

/** One name below the folder that is walked. */
export interface WalkedEntry {
  /** relative to the workspace root */
  readonly path: string
  /** relative to the folder that is walked */
  readonly below: string
  readonly state: FileState
  /** the policy does not permit this call to read it: named, but not opened */
  readonly isClosed: boolean
}

/**
 * Everything below a folder, depth first, sorted by name, including links (never followed) and
 * folders. The caller stops when it has enough, or when its time is over. At most `maxEntries` of
 * one folder are read. Folders that vanish meanwhile are skipped; the first one must exist.
 */
export async function* walkFiles(
  workspace: Workspace,
  folder: string,
  mayRead: MayRead,
  maxEntries: number,
): AsyncGenerator<WalkedEntry> {
  const prefix = folder === '' ? '' : `${folder}/`
  const pending = [folder]
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    const inside: string[] = []
    for (const { name, state } of await entriesOf(workspace, current, folder, maxEntries)) {
      const path = current === '' ? name : `${current}/${name}`
      const isClosed =
        nameProblem(name) !== null ||
        !mayRead(path, state.kind === 'directory' ? 'directory' : 'file', folder)
      yield { path, below: path.slice(prefix.length), state, isClosed }
      if (state.kind === 'directory' && !isClosed) inside.push(path)
    }
    pending.push(...inside.toReversed())
  }
}

async function entriesOf(
  workspace: Workspace,
  current: string,
  first: string,
  maxEntries: number,
): Promise<Awaited<ReturnType<Workspace['list']>>> {
  try {
    return await workspace.list(current, { maxEntries })
  } catch (error) {
    if (current !== first && error instanceof WorkspaceProblem) return []
    throw error
  }
}
