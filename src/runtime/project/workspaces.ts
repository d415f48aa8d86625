import { resolve } from 'node:path'
import type { Policy } from '#policy/policy.ts'
import { openWorkspace, type OpenWorkspace } from '#sandbox/workspace.ts'
import type { Folders } from '../folders.ts'

/**
 * The workspace of this host: the one of the policy in force that has this worker's task queue,
 * with the data folder hidden (security.md 8). Opened once for each root.
 */
export class Workspaces {
  readonly #folders: Folders
  readonly #ownTaskQueue: string
  readonly #opened = new Map<string, Promise<OpenWorkspace>>()

  constructor(options: { folders: Folders; taskQueue: string }) {
    this.#folders = options.folders
    this.#ownTaskQueue = options.taskQueue
  }

  /**
   * Throws one sentence when the policy gives this task queue no workspace, or its folder cannot be
   * opened.
   */
  async of(policy: Policy, taskQueue: string): Promise<OpenWorkspace> {
    const root = this.#rootOf(policy, taskQueue)
    const opened = this.#opened.get(root) ?? this.#open(root)
    this.#opened.set(root, opened)
    return opened
  }

  #rootOf(policy: Policy, taskQueue: string): string {
    for (const { root, taskQueue: named } of policy.config.workspaces.values()) {
      if ((named ?? this.#ownTaskQueue) === taskQueue)
        return resolve(this.#folders.projectDir, root)
    }
    throw new Error(`no workspace in countersign.yaml has the task queue ${taskQueue}`)
  }

  #open(root: string): Promise<OpenWorkspace> {
    const opened = openWorkspace({ root, hidden: [this.#folders.dataDir] })
    opened.catch(() => this.#opened.delete(root))
    return opened
  }
}
