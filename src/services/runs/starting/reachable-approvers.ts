import { Problem } from '../../../domain/problem.ts'
import type { Policy, WorkerDefinition } from '../../../policy/policy.ts'
import { possibleRoutes } from '../../../policy/possible-routes.ts'
import type { Db, Tx } from '../../../store/database.ts'
import { readStaffedTeams, requireStaffed } from '../../requests/staffed-teams.ts'

/**
 * Refuses to start a run whose asks could reach nobody (product.md 22): wherever a call of the worker might be asked,
 * there must be a queue, and its quorum must have an alternative each of whose teams has a member who can sign in.
 * A worker that never asks needs nobody. Rejects with `unreachable_approvers` and what to configure.
 */
export async function assertReachable(
  db: Db | Tx,
  policy: Policy,
  worker: WorkerDefinition,
): Promise<void> {
  if (possibleRoutes(policy, worker).length === 0) return
  assertStaffed(policy, worker, await readStaffedTeams(db))
}

/** As `assertReachable`, of teams that are said to have somebody. */
export function assertStaffed(
  policy: Policy,
  worker: WorkerDefinition,
  staffed: ReadonlySet<string>,
): void {
  for (const route of possibleRoutes(policy, worker)) {
    if (route.queue === null) {
      throw new Problem(
        'unreachable_approvers',
        `Requests of ${worker.name} (${route.tool}) would reach nobody: give the worker a queue, or set defaults.queue in countersign.yaml`,
        { worker: worker.name, tool: route.tool },
      )
    }
    const { queue, quorum } = route
    requireStaffed({ queue, quorum }, staffed, { worker: worker.name })
  }
}
