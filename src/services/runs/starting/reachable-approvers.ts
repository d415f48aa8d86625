import { builtInTool } from '#domain/tools/built-in-tools.ts'
import { Problem } from '#domain/problem.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { possibleRoutes } from '#policy/judge/routing/possible-routes.ts'
import type { Principal } from '../../requests/people/principals-of-run.ts'
import type { Db, Tx } from '#store/database.ts'
import { readReachable, requireReachable, type Reachable } from '../../requests/people/reach.ts'

/**
 * Refuses to start a run whose asks could be decided by nobody but those behind it (product.md 22,
 * 42): wherever a call of the worker might be asked, there must be a queue, and its quorum must be
 * one that others can meet. A worker that never asks needs nobody. Rejects with
 * `unreachable_approvers`: whom it would reach, and what to configure.
 */
export async function assertReachable(
  db: Db | Tx,
  policy: Policy,
  worker: WorkerDefinition,
  behind: readonly Principal[],
): Promise<void> {
  const routes = possibleRoutes(policy, worker)
  if (routes.length === 0) return
  const teams = routes.flatMap((route) => (route.queue === null ? [] : quorumTeams(route.quorum)))
  assertReachableBy(policy, worker, await readReachable(db, teams), behind)
}

/** As `assertReachable`, of people who are said to be there. */
export function assertReachableBy(
  policy: Policy,
  worker: WorkerDefinition,
  people: readonly Reachable[],
  behind: readonly Principal[],
): void {
  for (const route of possibleRoutes(policy, worker)) {
    if (route.queue === null) {
      const remedy = 'give the worker a queue, or set defaults.queue in countersign.yaml'
      throw new Problem(
        'unreachable_approvers',
        `Requests of ${worker.name} (${route.tool}) would reach nobody: ${remedy}`,
        { worker: worker.name, tool: route.tool, queue: null, people: [], remedy },
      )
    }
    // A question can be answered by whoever starts the run (product.md 30).
    if (builtInTool(route.tool)?.consent === 'answer') continue
    requireReachable(route, people, behind, { worker: worker.name })
  }
}
