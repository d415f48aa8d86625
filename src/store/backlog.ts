import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * The numbers and ages of pending work, and the clock that all times come from. Ages in
 * milliseconds; 0 when nothing is pending.
 */
export interface Backlog {
  /** milliseconds by which the clock of this host is ahead of the database's; negative: behind */
  readonly clockOffsetMs: number
  readonly relay: { readonly pending: number; readonly lagMs: number }
  readonly events: { readonly lagMs: number }
  readonly audit: { readonly pending: number; readonly lagMs: number }
}

/**
 * How far relay, event stream and audit log are behind. Each figure comes from a partial index or a
 * small table, so that the cost depends on what is pending, not on all rows.
 */
export async function readBacklog(db: Db): Promise<Backlog> {
  const askedAt = performance.now()
  const { rows } = await sql<Record<string, string | number | null>>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
      outbox.pending as relay_pending, outbox.lag as relay_lag,
      (select ${ageOf(sql`created_at`)} from event where sequence is null
        order by event.created_at, event.id limit 1) as event_lag,
      (select count(*) from audit_unsequenced) as audit_pending,
      (select ${ageOf(sql`at`)} from audit_event where id =
        (select event_id from audit_unsequenced order by place limit 1)) as audit_lag
    from (
      select count(*) as pending, ${ageOf(sql`min(created_at)`)} as lag from outbox
      where delivered_at is null and undeliverable_at is null
    ) as outbox
  `.execute(db)
  // The database read its clock about halfway through the query.
  const hostMs = Date.now() - (performance.now() - askedAt) / 2
  const figure = (name: string): number => Math.max(0, Math.round(Number(rows[0]?.[name] ?? 0)))
  return {
    clockOffsetMs: Math.round(hostMs - Number(rows[0]?.['now_ms'])),
    relay: { pending: figure('relay_pending'), lagMs: figure('relay_lag') },
    events: { lagMs: figure('event_lag') },
    audit: { pending: figure('audit_pending'), lagMs: figure('audit_lag') },
  }
}

function ageOf(at: ReturnType<typeof sql>) {
  return sql`(extract(epoch from clock_timestamp() - ${at}) * 1000)::float8`
}

/** Pending requests, open runs and deliveries, counted by configured names. */
export interface OpenWorkCounts {
  readonly queues: readonly { queue: string; pending: number; oldestMs: number }[]
  readonly runs: readonly { state: string; count: number }[]
  /** by kind of channel: `webhook`, `email`, `slack` */
  readonly deliveries: readonly { kind: string; state: 'pending' | 'dead'; count: number }[]
}

/** Counts open work; each count uses a partial index. */
export async function countOpenWork(db: Db): Promise<OpenWorkCounts> {
  const queues = await sql<{ queue: string; pending: string; oldest: number }>`
    select queue, count(*) as pending, ${ageOf(sql`min(created_at)`)} as oldest
    from request where state = 'pending' group by queue
  `.execute(db)
  const runs = await sql<{ state: string; count: string }>`
    select state, count(*) as count from run where ended_at is null group by state
  `.execute(db)
  const deliveries = await sql<{ kind: string; state: 'pending' | 'dead'; count: string }>`
    select kind, state, sum(count)::bigint as count from (
      select ${kindOf()} as kind, 'pending' as state, count(*) as count
      from delivery where state = 'pending' group by endpoint
      union all
      select ${kindOf()}, 'dead', count(*) from delivery where state = 'dead' group by endpoint
    ) as of_endpoint group by kind, state
  `.execute(db)
  return {
    queues: queues.rows.map(({ queue, pending, oldest }) => ({
      queue,
      pending: Number(pending),
      oldestMs: Math.max(0, oldest),
    })),
    runs: runs.rows.map(({ state, count }) => ({ state, count: Number(count) })),
    deliveries: deliveries.rows.map((row) => ({ ...row, count: Number(row.count) })),
  }
}

/** Endpoints of other kinds than webhooks are named `kind:…`. */
function kindOf() {
  return sql`case when position(':' in endpoint) > 0 then split_part(endpoint, ':', 1) else 'webhook' end`
}
