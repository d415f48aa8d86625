import { sql } from 'kysely'
import type { Readiness } from '../api/schemas/health.ts'
import type { TemporalClient } from '../delivery/temporal-client.ts'
import type { Db } from '../store/database.ts'

/** Whether this process can do its work: Postgres and Temporal answer, and how far the relay is behind. */
export async function readReadiness(db: Db, temporal: TemporalClient): Promise<Readiness> {
  const [relayLagMs, namespaceId] = await Promise.all([
    readRelayLag(db).catch(() => null),
    temporal.namespaceId().catch(() => null),
  ])
  const checks = {
    postgres: relayLagMs !== null,
    temporal: namespaceId !== null,
    relayLagMs: relayLagMs ?? 0,
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
