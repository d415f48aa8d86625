import { sql } from 'kysely'
import type { Readiness } from '../api/schemas/health.ts'
import type { TemporalClient } from '../delivery/temporal-client.ts'
import type { Db } from '../store/database.ts'

/** Whether this process can do its work: Postgres and Temporal answer, and how far relay and audit log are behind. */
export async function readReadiness(db: Db, temporal: TemporalClient): Promise<Readiness> {
  const [relayLagMs, auditLagMs, namespaceId] = await Promise.all([
    readRelayLag(db).catch(() => null),
    readAuditLag(db).catch(() => null),
    temporal.namespaceId().catch(() => null),
  ])
  const checks = {
    postgres: relayLagMs !== null && auditLagMs !== null,
    temporal: namespaceId !== null,
    relayLagMs: relayLagMs ?? 0,
    auditLagMs: auditLagMs ?? 0,
  }
  return { ready: checks.postgres && checks.temporal, checks }
}

async function readRelayLag(db: Db): Promise<number> {
  const { rows } = await sql<{ lag: number | null }>`
    select (extract(epoch from clock_timestamp() - min(created_at)) * 1000)::float8 as lag
    from outbox where delivered_at is null and undeliverable_at is null
  `.execute(db)
  return Math.round(rows[0]?.lag ?? 0)
}

async function readAuditLag(db: Db): Promise<number> {
  const { rows } = await sql<{ lag: number | null }>`
    select (extract(epoch from clock_timestamp() - min(at)) * 1000)::float8 as lag
    from audit_event where id in (select event_id from audit_unsequenced order by place limit 1)
  `.execute(db)
  return Math.max(0, Math.round(rows[0]?.lag ?? 0))
}
