import { resolve } from 'node:path'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import type { Policy } from '#policy/policy.ts'
import { dataFolders } from '#sandbox/hidden-paths.ts'
import { openWorkspace, realFolder, type OpenWorkspace } from '#sandbox/workspace.ts'
import type { WorktreeBaseAnswer } from '#services/core/host-queries.ts'
import type { RunPlace } from '#services/core/run-place.ts'
import { worktreeBaseIn } from '#sandbox/worktrees/repository.ts'
import { Worktrees } from '#sandbox/worktrees/open-worktree.ts'
import type { Folders } from '../folders.ts'

/**
 * The workspaces of this host: those of the policy in force with this worker's task queue, with the
 * folders of Countersign's data hidden (security.md 8). Opened once for each root.
 */
export class Workspaces {
  readonly #folders: Folders
  readonly #ownTaskQueue: string
  readonly #worktrees: Worktrees
  readonly #opened = new Map<string, Promise<OpenWorkspace>>()

  constructor(options: { folders: Folders; taskQueue: string }) {
    this.#folders = options.folders
    this.#worktrees = new Worktrees(options.folders.dataDir)
    this.#ownTaskQueue = options.taskQueue
  }

  /**
   * Rejects with `UnusableWorkspace` if the policy has no such workspace on this task queue, or if
   * its folder does not exist, even if it existed before.
   */
  async of(policy: Policy, place: RunPlace): Promise<OpenWorkspace> {
    const root = this.#rootOf(policy, place)
    if (place.worktree !== undefined) {
      const copy = policy.config.workspaces.get(place.workspace)?.worktree?.copy ?? []
      return this.#worktrees.open({ root, copy }, place.worktree)
    }
    const earlier = this.#opened.get(root)
    if (earlier !== undefined) {
      await realFolder(root)
      return earlier
    }
    const workspace = this.#open(root)
    this.#opened.set(root, workspace)
    return workspace
  }

  /** Where the worktree of a run that starts now begins. */
  async worktreeBase(policy: Policy, place: RunPlace): Promise<WorktreeBaseAnswer> {
    const named = policy.config.workspaces.get(place.workspace)?.worktree?.base ?? null
    return worktreeBaseIn(this.#rootOf(policy, place), named)
  }

  #rootOf({ config }: Policy, { taskQueue, workspace: name }: RunPlace): string {
    const workspace = config.workspaces.get(name)
    if (workspace === undefined)
      throw new UnusableWorkspace(`countersign.yaml has no workspace ${name}`)
    if ((workspace.taskQueue ?? this.#ownTaskQueue) !== taskQueue) {
      throw new UnusableWorkspace(
        `the workspace ${name} in countersign.yaml does not have the task queue ${taskQueue}`,
      )
    }
    return resolve(this.#folders.projectDir, workspace.root)
  }

  #open(root: string): Promise<OpenWorkspace> {
    const workspace = openWorkspace({ root, hidden: dataFolders(this.#folders) })
    workspace.catch(() => this.#opened.delete(root))
    return workspace
  }
}
