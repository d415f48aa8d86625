import { sql, type Kysely } from 'kysely'
import { audit } from './baseline/audit.ts'
import { calls } from './baseline/calls.ts'
import { content } from './baseline/content.ts'
import { decisions } from './baseline/decisions.ts'
import { deliveries } from './baseline/deliveries.ts'
import { installation } from './baseline/installation.ts'
import { people } from './baseline/people.ts'
import { policy } from './baseline/policy.ts'
import { requests } from './baseline/requests.ts'
import { runs } from './baseline/runs.ts'
import { urgency } from './baseline/urgency.ts'

/**
 * The schema of the first release. It replaces sixty earlier migrations
 * (`../migrating/baseline.ts`). Each index names the query it serves. Timestamps are set by the
 * database clock.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const part of parts) await sql.raw(part).execute(db)
}

/** Each table after those that it refers to. */
const parts = [
  installation,
  people,
  content,
  policy,
  runs,
  calls,
  requests,
  urgency,
  decisions,
  deliveries,
  audit,
]
