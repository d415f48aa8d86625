import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/**
 * The log covers an event within two seconds; a process that is down or far behind is not waited
 * for.
 */
const maxMs = 30_000
const everyMs = 50

/**
 * Waits until a signed checkpoint covers what the trail holds now. Gives up after thirty seconds:
 * the evidence says so itself.
 */
export async function untilCovered(db: Db): Promise<void> {
  const { rows } = await sql<{ place: string | null }>`
    select max(place) as place from audit_unsequenced
  `.execute(db)
  const place = rows[0]?.place ?? null
  if (place === null) return
  const until = performance.now() + maxMs
  while (performance.now() < until) {
    const waiting = await db
      .selectFrom('audit_unsequenced')
      .select('place')
      .where('place', '<=', place)
      .limit(1)
      .executeTakeFirst()
    if (waiting === undefined) return
    await sleep(everyMs)
  }
}
