import { Problem } from '../../../domain/problem.ts'
import type { Policy, WorkerDefinition } from '../../../policy/policy.ts'
import { possibleRoutes } from '../../../policy/possible-routes.ts'
import type { Db, Tx } from '../../../store/database.ts'

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
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('person', 'person.id', 'team_member.person_id')
    .select('team')
    .distinct()
    .where('disabled_at', 'is', null)
    .execute()
  assertStaffed(policy, worker, new Set(rows.map((row) => row.team)))
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
    const { any } = route.quorum
    if (any.some((places) => places.every((place) => staffed.has(place.team)))) continue
    const empty = [...new Set(any.flat().map((place) => place.team))].filter(
      (team) => !staffed.has(team),
    )
    throw new Problem(
      'unreachable_approvers',
      `Requests in the queue ${route.queue} would reach nobody: add members to the team ${empty.join(' and ')} in countersign.yaml`,
      { worker: worker.name, queue: route.queue, teams: empty },
    )
  }
}
