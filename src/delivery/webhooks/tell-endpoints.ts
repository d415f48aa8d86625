import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { WebhookEndpoint } from '../../policy/policy.ts'
import { advisoryLocks } from '../../store/advisory-locks.ts'
import type { Db, Tx } from '../../store/database.ts'
import { cloudEvent, type Happening } from './cloud-event.ts'

const eventsAtOnce = 200
/** An endpoint that is not configured now: it is told nothing, and should it come back, nothing of the time between. */
const retired = '-1'

/**
 * Makes a delivery of every numbered event that an endpoint has not been told of and wants, exactly once: the cursor
 * moves in the same transaction. An endpoint is told from the moment it was configured. Returns whether there may be more.
 */
export async function tellEndpoints(
  db: Db,
  endpoints: Iterable<WebhookEndpoint>,
  publicUrl: string,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const lock = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(${advisoryLocks.webhooks}) as mine
    `.execute(tx)
    if (lock.rows[0]?.mine !== true) return false
    let more = false
    for (const endpoint of endpoints) {
      const told = await tellEndpoint(tx, endpoint, publicUrl)
      more ||= told === eventsAtOnce
    }
    return more
  })
}

/** Gives up what waits for endpoints that are no longer configured. */
export async function retireEndpoints(db: Db, configured: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const gone = await tx
      .updateTable('endpoint')
      .set({ told_until: retired })
      .where('told_until', '<>', retired)
      .where(sql<boolean>`name <> all(${configured}::text[])`)
      .returning('name')
      .execute()
    if (gone.length === 0) return
    await tx
      .updateTable('delivery')
      .set({
        state: 'dead',
        last_error: 'the endpoint is not configured any more',
        ended_at: sql`clock_timestamp()`,
      })
      .where('state', '=', 'pending')
      .where(
        'endpoint',
        'in',
        gone.map(({ name }) => name),
      )
      .execute()
  })
}

async function tellEndpoint(tx: Tx, endpoint: WebhookEndpoint, publicUrl: string): Promise<number> {
  const { rows } = await sql<{ told_until: string }>`
    insert into endpoint (name, told_until)
      values (${endpoint.name}, (select coalesce(max(sequence), 0) from event))
    on conflict (name) do update set told_until =
      case when endpoint.told_until = ${retired}::bigint then excluded.told_until else endpoint.told_until end
    returning told_until
  `.execute(tx)
  const from = rows[0]?.told_until ?? '0'
  const events = await tx
    .selectFrom('event')
    .select(['id', 'sequence', 'type', 'subject', 'created_at'])
    .where('sequence', '>', from)
    .orderBy('sequence')
    .limit(eventsAtOnce)
    .execute()
  const last = events.at(-1)?.sequence
  if (last === undefined || last === null) return 0
  const wanted = events.filter((event) =>
    (endpoint.events as readonly string[]).includes(event.type),
  )
  const happenings = await happeningsOf(tx, wanted)
  const deliveries = happenings
    .filter(({ request }) => isOfQueues(endpoint, request?.queue))
    .map((happening) => ({
      id: uuidv7(),
      endpoint: endpoint.name,
      event_id: happening.eventId,
      type: happening.type,
      request_id: happening.request?.id ?? null,
      body: cloudEvent(happening, publicUrl),
    }))
  if (deliveries.length > 0) await tx.insertInto('delivery').values(deliveries).execute()
  await tx
    .updateTable('endpoint')
    .set({ told_until: last })
    .where('name', '=', endpoint.name)
    .execute()
  return events.length
}

function isOfQueues({ queues }: WebhookEndpoint, queue: string | undefined): boolean {
  return queues === null || (queue !== undefined && queues.includes(queue))
}

interface EventRow {
  readonly id: string
  readonly type: string
  readonly subject: Readonly<Record<string, unknown>>
  readonly created_at: Date
}

/** The events with what is stored of their requests and runs now; one whose subject is gone is left out. */
async function happeningsOf(tx: Tx, events: readonly EventRow[]): Promise<Happening[]> {
  const ids = (field: string): string[] => [
    ...new Set(events.map(({ subject }) => subject[field]).filter((id) => typeof id === 'string')),
  ]
  const [requestIds, runIds] = [ids('requestId'), ids('runId')]
  const requests =
    requestIds.length === 0
      ? []
      : await tx
          .selectFrom('request')
          .select(['id', 'number', 'kind', 'state', 'revision', 'queue', 'risk', 'tool', 'title'])
          .select(['run_id', 'expires_at'])
          .where('id', 'in', requestIds)
          .execute()
  const runs =
    runIds.length === 0
      ? []
      : await tx
          .selectFrom('run')
          .select(['id', 'worker', 'state'])
          .where('id', 'in', runIds)
          .execute()
  const requestOf = new Map(requests.map((request) => [request.id, request]))
  const runOf = new Map(runs.map((run) => [run.id, run]))
  return events
    .map(({ id, type, subject, created_at }) => ({
      eventId: id,
      type,
      at: created_at,
      request: requestOf.get(String(subject['requestId'])) ?? null,
      run: runOf.get(String(subject['runId'])) ?? null,
    }))
    .filter(({ request, run }) => request !== null || run !== null)
}
