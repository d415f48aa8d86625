import { sql } from 'kysely'
import { askDatabase } from '../target/open-servers.ts'
import type { Check, Finding } from '../target/check.ts'

const slowSeconds = 60

/** Decisions reach Temporal. */
export const checkDeliveries: Check = (target) =>
  askDatabase(target, async (db) => {
    const { rows } = await sql<{ waiting: string; seconds: string | null; why: string | null }>`
      select count(*) as waiting, max(extract(epoch from clock_timestamp() - created_at)) as seconds,
             (array_agg(last_error order by id) filter (where last_error is not null))[1] as why
      from outbox where delivered_at is null and undeliverable_at is null
    `.execute(db)
    const { waiting = '0', seconds = null, why = null } = rows[0] ?? {}
    const oldest = Math.round(Number(seconds ?? 0))
    const finding: Finding =
      oldest < slowSeconds
        ? {
            check: 'deliveries',
            state: 'ok',
            found: `${waiting} ${waiting === '1' ? 'signal' : 'signals'} on their way`,
          }
        : {
            check: 'deliveries',
            state: target.isAtWork ? 'problem' : 'warning',
            found: `${waiting} signals wait for Temporal, the oldest for ${oldest} s${why === null ? '' : ` (${why})`}`,
            remedy:
              'they are delivered once an API process runs and Temporal answers; nothing is lost meanwhile',
          }
    return [finding]
  })
