import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import { openWorkspace, type OpenWorkspace } from '../workspace.ts'
import { makeWorktree, type WorktreeToMake } from './make-worktree.ts'
import { readRecord, treeIn, worktreeFolder } from './worktree-record.ts'

/** What worktrees are made of. */
type WorktreeSource = Pick<WorktreeToMake, 'root' | 'copy'>
type WorktreeToOpen = WorktreeOfRun & { readonly rootRunId: string; readonly mayBeMade: boolean }

/** The worktrees of this host, which lie in its data folder, opened once each. */
export class Worktrees {
  readonly #dataDir: string
  readonly #opened = new Map<string, Promise<OpenWorkspace>>()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /**
   * Opens the worktree of a run as the workspace that its tools touch; it is made where it is not
   * there and `mayBeMade`, out of the workspace's folder. Rejects with a sentence.
   */
  async open(source: WorktreeSource, place: WorktreeToOpen): Promise<OpenWorkspace> {
    const { rootRunId } = place
    const worktree = this.#opened.get(rootRunId) ?? this.#open(source, place)
    this.#opened.set(rootRunId, worktree)
    worktree.catch(() => this.#opened.delete(rootRunId))
    return worktree
  }

  async #open(
    source: WorktreeSource,
    { rootRunId: runId, mayBeMade, ...worktree }: WorktreeToOpen,
  ): Promise<OpenWorkspace> {
    const dataDir = this.#dataDir
    const folder = worktreeFolder(dataDir, runId)
    const record = await readRecord(folder)
    if (record?.removed !== undefined || (record === null && !mayBeMade)) {
      throw new UnusableWorkspace(`the worktree of run ${runId} is not there any more`)
    }
    const { branch, base, baseCommit, objectStores } =
      record ?? (await makeWorktree({ dataDir, ...source, runId, worktree }))
    return openWorkspace({
      root: treeIn(folder),
      hidden: [dataDir],
      worktree: { branch, base, baseCommit, folder, objectStores },
    })
  }
}
