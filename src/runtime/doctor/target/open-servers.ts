import { connectTemporal, type TemporalClient } from '#delivery/temporal-client.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import { type CheckTarget, answersWithinMs } from './check.ts'

export interface Servers extends AsyncDisposable {
  readonly db: Db
  readonly temporal: TemporalClient
}

/** Connections to a target's Postgres and Temporal; `null` when it does not have both. */
export function openServers(target: CheckTarget): Servers | null {
  const { databaseUrl, temporalAddress } = target
  if (databaseUrl === null || temporalAddress === null) return null
  const db = connectDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'countersign doctor',
  })
  const temporal = connectTemporal({
    address: temporalAddress,
    namespace: target.temporalNamespace,
    deadlineMs: answersWithinMs,
    ...target.temporalSecurity,
  })
  return {
    db,
    temporal,
    async [Symbol.asyncDispose]() {
      await temporal[Symbol.asyncDispose]()
      await db.destroy()
    },
  }
}

/**
 * The findings of `ask` in the target's database; none without a database. The check of Postgres
 * reports a server that does not answer or has no schema.
 */
export async function askDatabase<Found>(
  { databaseUrl }: Pick<CheckTarget, 'databaseUrl'>,
  ask: (db: Db) => Promise<Found[]>,
): Promise<Found[]> {
  if (databaseUrl === null) return []
  await using db = connectDatabase({
    url: databaseUrl,
    poolSize: 1,
    applicationName: 'countersign doctor',
  })
  try {
    return await ask(db)
  } catch {
    return []
  }
}
