import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/** The log covers an event within two seconds, unless its process is down or far behind. */
const maxMs = 30_000
const everyMs = 50

/**
 * Waits until a signed checkpoint covers the trail as of now. Gives up after thirty seconds; the
 * evidence says how far it goes.
 */
export async function untilCovered(db: Db): Promise<void> {
  const { rows } = await sql<{ place: string | null }>`
    select max(place) as place from audit_unsequenced
  `.execute(db)
  const place = rows[0]?.place ?? null
  if (place === null) return
  const until = performance.now() + maxMs
  while (performance.now() < until) {
    const openEvent = await db
      .selectFrom('audit_unsequenced')
      .select('place')
      .where('place', '<=', place)
      .limit(1)
      .executeTakeFirst()
    if (openEvent === undefined) return
    await sleep(everyMs)
  }
}
