import type { JsonObject } from '#domain/json/json.ts'
import type { StreamEventType } from '#domain/channels/stream-event.ts'
import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { AuditEntry } from '#domain/audit-event.ts'
import { auditChannel, auditRows, type ReadChains } from '../audit/audit.ts'
import type { Tx } from '../database.ts'
import { failUnless } from '../connection/fail-unless.ts'
import { lastStatement } from '../connection/last-statement.ts'
import { requireDecided, writeDecided, type DecidedRows } from './decided-rows.ts'
import { outboxChannel, ownLeaseMs, type OutboxRow, type WrittenOutboxRow } from './outbox.ts'

/** What a transaction writes beside its change: audit events, stream events and outbox rows. */
export interface Records {
  readonly audit?: readonly AuditEntry[]
  readonly events?: readonly StreamEvent[]
  readonly outbox?: readonly OutboxRow[]
  readonly decided?: DecidedRows
  /** ends of the chains that the transaction has read, and when it did */
  readonly chains?: ReadChains
  /**
   * how many statements the transaction ends with, this one among them: the commit is sent with the
   * last of them; absent: it is sent alone
   */
  readonly lastStatements?: number
}

/**
 * Writes records in the caller's transaction; if that fails, the change they describe is undone.
 * `owner` is this process's relay: the outbox rows are leased to it and returned in order. The
 * commit notifies the other relays with the owner's id, and they deliver the rows when the lease
 * has ended. With `null` it wakes any relay.
 */
export async function writeRecords(
  tx: Tx,
  records: Records,
  owner: string | null,
): Promise<WrittenOutboxRow[]> {
  const { audit = [], events = [], outbox = [], decided, chains, lastStatements } = records
  if (!hasRecords(records)) return []
  const trail = await auditRows(tx, audit, chains)
  const stream = events.map((event) => ({ id: newId(), ...event }))
  const queue = outbox.map((row, index) => ({ place: index, ...row }))
  const channels = [
    ...(events.length > 0 ? ['countersign_event'] : []),
    ...(outbox.length > 0 ? [outboxChannel] : []),
    ...(trail.length > 0 ? [auditChannel] : []),
  ]
  const { rows } = await sql<InsertedOutboxRow>`
    ${lastStatements === undefined ? sql`` : lastStatement(lastStatements)} with ${decided === undefined ? sql`` : writeDecided(decided)} trail as (
      insert into audit_event
        (id, at, type, actor_type, actor_id, run_id, request_id, call_id, sequence, document)
      select * from jsonb_to_recordset(${JSON.stringify(trail)}) as row(id uuid, at timestamptz,
        type text, actor_type text, actor_id text, run_id uuid, request_id uuid, call_id uuid,
        sequence integer, document text)
    ), stream as (
      insert into event (id, type, subject)
      select * from jsonb_to_recordset(${JSON.stringify(stream)}) as row(id uuid, type text, subject jsonb)
    ), queue as (
      insert into outbox (run_id, kind, payload, lease_owner, leased_until)
      select "runId", kind, payload, ${owner},
        case when ${owner}::text is null then null
          else clock_timestamp() + ${ownLeaseMs} * interval '1 millisecond' end
      from jsonb_to_recordset(${JSON.stringify(queue)})
        as row(place integer, "runId" uuid, kind text, payload jsonb) order by place
      returning id, run_id
    ), notified as (
      select count(pg_notify(channel, case channel when ${outboxChannel} then ${owner ?? ''} else '' end))
      from unnest(${channels}::text[]) as channel
    )
    select queue.id, (select workflow_id from run where run.id = queue.run_id) as "workflowId",
      coalesce((select parent_run_id is null from run where run.id = queue.run_id), false) as "isRoot",
      -- With exists, Postgres would read all requests of programs for many rows.
      coalesce((select run_id is null from request where id = queue.run_id), false) as "isOfProgram",
      (select count(*) from (
        select from outbox as open where open.run_id = queue.run_id
          and open.delivered_at is null and open.undeliverable_at is null limit 1
      ) as earlier) = 0 as "isNext",
      ${decided === undefined ? sql`` : sql`${requireDecided(decided)}, `}
      ${failUnless(sql`(select count(*) from queue) = ${queue.length}::integer`, sql`'An outbox row was not written'`)}
    from notified left join queue on true
    order by queue.id
  `.execute(tx)
  const runIds = new Set<string>()
  return outbox.map((row, index) => {
    const inserted = rows[index]
    if (inserted === undefined) throw new Error('An outbox row was not written')
    const { id, workflowId, isRoot, isOfProgram } = inserted
    const isNext = inserted.isNext && !runIds.has(row.runId)
    runIds.add(row.runId)
    return { ...row, id, workflowId, isRoot, isOfProgram, isNext }
  })
}

/** Whether {@link writeRecords} writes anything. */
export function hasRecords({ audit = [], events = [], outbox = [] }: Records): boolean {
  return audit.length + events.length + outbox.length > 0
}

type InsertedOutboxRow = Pick<
  WrittenOutboxRow,
  'id' | 'workflowId' | 'isRoot' | 'isOfProgram' | 'isNext'
>

/** An event for the stream. One writer numbers it after commit, so replay skips nothing. */
export interface StreamEvent {
  readonly type: StreamEventType
  readonly subject: JsonObject
}
