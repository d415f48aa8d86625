import { Problem } from '#domain/problem.ts'
import { configuredEndpoints } from '#services/channels/webhooks/configured-endpoints.ts'
import type { Api } from '../context/api.ts'

/**
 * A filter that could never match anything is a mistake, and not an empty list (api.md): rejects
 * with `invalid_request`.
 */
export async function requireQueue(api: Api, queue: string | undefined): Promise<void> {
  if (queue === undefined) return
  const { config } = await api.ctx.policies.inForce()
  if (config.queues.has(queue)) return
  const used = await api.ctx.db
    .selectFrom('request')
    .select('id')
    .where('queue', '=', queue)
    .limit(1)
    .executeTakeFirst()
  if (used === undefined) throw refuseUnknownName('queue', 'is not a queue of this project')
}

/** As {@link requireQueue}, of workers. */
export async function requireWorker(api: Api, worker: string | undefined): Promise<void> {
  if (worker === undefined) return
  const { workers } = await api.ctx.policies.inForce()
  if (workers.has(worker)) return
  const used = await api.ctx.db
    .selectFrom('worker_version')
    .select('digest')
    .where('name', '=', worker)
    .limit(1)
    .executeTakeFirst()
  if (used === undefined) throw refuseUnknownName('worker', 'is not a worker of this project')
}

/** As {@link requireQueue}, of people: `me`, an id, or an address. */
export async function requirePerson(api: Api, person: string | undefined): Promise<void> {
  if (person === undefined || person === 'me') return
  const column = person.includes('@') ? 'email' : 'id'
  const row = await api.ctx.db
    .selectFrom('person')
    .select('id')
    .where(column, '=', person)
    .executeTakeFirst()
  if (row === undefined) throw refuseUnknownName('startedBy', 'is not a known person')
}

/** As {@link requireQueue}, of endpoints: of the policy in force, or with any notification. */
export async function requireEndpoint(api: Api, endpoint: string | undefined): Promise<void> {
  if (endpoint === undefined) return
  const { config } = await api.ctx.policies.inForce()
  if (configuredEndpoints(config).some(({ name }) => name === endpoint)) return
  const used = await api.ctx.db
    .selectFrom('delivery')
    .select('id')
    .where('endpoint', '=', endpoint)
    .limit(1)
    .executeTakeFirst()
  if (used === undefined) throw refuseUnknownName('endpoint', 'is not an endpoint of this project')
}

/** `invalid_request` about one query field. */
function refuseUnknownName(field: string, message: string): Problem {
  return new Problem('invalid_request', `${field}: ${message}`, {
    field,
    errors: [{ field, message }],
  })
}
