import { builtInTool } from '#domain/tools/built-in-tools.ts'
import { Problem } from '#domain/problem.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { possibleRoutes } from '#policy/judge/routing/possible-routes.ts'
import type { Principal } from '../../requests/people/principals-of-run.ts'
import type { Db, Tx } from '#store/database.ts'
import { readMembers, requireReachable, type Reachable } from '../../requests/people/reach.ts'

/**
 * Refuses to start a run whose requests only the people behind it could decide (product.md 22, 42):
 * every call of the worker that may ask needs a queue, with a quorum that others can meet. A worker
 * that never asks needs nobody. Rejects with `unreachable_approvers`: whom it would reach, and what
 * to configure.
 */
export async function assertReachable(
  db: Db | Tx,
  policy: Policy,
  worker: WorkerDefinition,
  behind: readonly Principal[],
): Promise<void> {
  assertReachableBy(policy, worker, await readDeciders(db, policy, worker), behind)
}

/** The people whom `assertReachableBy` needs. */
export async function readDeciders(
  db: Db | Tx,
  policy: Policy,
  worker: WorkerDefinition,
): Promise<readonly Reachable[]> {
  const teams = possibleRoutes(policy, worker).flatMap((route) =>
    route.queue === null ? [] : quorumTeams(route.quorum),
  )
  return readMembers(db, teams)
}

/** As `assertReachable`, with the people as an argument. */
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
    // The starter of the run can answer a question (product.md 30).
    if (builtInTool(route.tool)?.consent === 'answer') continue
    requireReachable(route, people, behind, { worker: worker.name })
  }
}
