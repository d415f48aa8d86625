import type { Selectable } from 'kysely'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { worktreeBranch, type WorktreeOfRun } from '#domain/tools/worktree.ts'
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

/**
 * Where a run works, as its row says. The branch with which a worktree is made is computed: the
 * row's is not signed, and another branch, such as the base, would get the commits of the run.
 */
export function placeOfRun(
  run: Pick<
    Selectable<RunTable>,
    'id' | 'number' | 'root_run_id' | 'state' | 'task_queue' | 'worker' | 'workspace' | 'worktree'
  >,
): RunPlace {
  const { root_run_id: rootRunId, task_queue: taskQueue, worker, workspace, worktree } = run
  if (worktree === null) return { taskQueue, workspace }
  const { base, baseCommit, discardedAt } = worktree
  const isRoot = run.id === rootRunId
  const mayBeMade = isRoot && discardedAt === undefined && !isEnd(runTransitions, run.state)
  const branch = isRoot ? worktreeBranch({ number: Number(run.number), worker }) : worktree.branch
  return { taskQueue, workspace, worktree: { rootRunId, branch, base, baseCommit, mayBeMade } }
}
