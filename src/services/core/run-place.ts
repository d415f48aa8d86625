import type { Selectable } from 'kysely'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { RunTable } from '#store/tables/runs.ts'

/** Where a run works. */
export interface RunPlace {
  /** the Temporal task queue of the host */
  readonly taskQueue: string
  /** name of the workspace there */
  readonly workspace: string
  /** the worktree of its root run; absent: it works in the folder itself */
  readonly worktree?: WorktreePlace
}

export interface WorktreePlace extends WorktreeOfRun {
  readonly rootRunId: string
  /** its root run has not ended: a missing worktree is made */
  readonly mayBeMade: boolean
}

/** Where a run works, as its row says. */
export function placeOfRun(
  run: Pick<
    Selectable<RunTable>,
    'id' | 'root_run_id' | 'state' | 'task_queue' | 'workspace' | 'worktree'
  >,
): RunPlace {
  const { task_queue: taskQueue, workspace, worktree } = run
  if (worktree === null) return { taskQueue, workspace }
  const { branch, base, baseCommit, discardedAt } = worktree
  const mayBeMade =
    run.id === run.root_run_id && discardedAt === undefined && !isEnd(runTransitions, run.state)
  const rootRunId = run.root_run_id
  return { taskQueue, workspace, worktree: { rootRunId, branch, base, baseCommit, mayBeMade } }
}
