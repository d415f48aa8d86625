import { Problem } from '#domain/problem.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'

/** The worker of this name in a policy version. Rejects with `unknown_worker`. */
export function requireWorker({ workers }: Policy, name: string): WorkerDefinition {
  const worker = workers.get(name)
  if (worker === undefined) throw new Problem('unknown_worker', `There is no worker ${name}`)
  return worker
}
