import { Problem } from '../../domain/problem.ts'
import type { Policy, WorkerDefinition } from '../../policy/policy.ts'
import type { Db, Tx } from '../../store/database.ts'

/**
 * Refuses to start a run whose asks could reach nobody (product.md 22): the queue they go to unless routing says
 * otherwise must be there, and its team must have a member who can sign in. Rejects with `unreachable_approvers`.
 */
export async function assertReachable(
  db: Db | Tx,
  policy: Policy,
  worker: WorkerDefinition,
): Promise<void> {
  const { config } = policy
  const queueName = worker.queue ?? config.defaultQueue
  if (queueName === null) {
    throw unreachable(
      `Requests of ${worker.name} would reach nobody: give the worker a queue, or set defaults.queue in countersign.yaml`,
    )
  }
  const routed = config.routing
    .filter((entry) => entry.queue !== null && mayConcern(entry.when.worker, worker.name))
    .flatMap((entry) => (entry.queue === null ? [] : [entry.queue]))
  for (const name of new Set([queueName, ...routed])) {
    const queue = config.queues.get(name)
    if (queue === undefined) {
      throw unreachable(
        `Requests would go to the queue ${name}, which countersign.yaml does not have`,
      )
    }
    const member = await db
      .selectFrom('team_member')
      .innerJoin('person', 'person.id', 'team_member.person_id')
      .select('person.id')
      .where('team', '=', queue.team)
      .where('disabled_at', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (member === undefined) {
      throw unreachable(
        `Requests in the queue ${name} would reach nobody: add members to the team ${queue.team} in countersign.yaml`,
      )
    }
  }
}

function mayConcern(workers: readonly string[] | null, worker: string): boolean {
  return workers === null || workers.includes(worker)
}

function unreachable(detail: string): Problem {
  return new Problem('unreachable_approvers', detail)
}
