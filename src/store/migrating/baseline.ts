import { sql, type Kysely } from 'kysely'
import { baselineName } from '../migrations/index.ts'
import type { Database } from '../tables/schema.ts'
import { readMigrations } from './applied-migrations.ts'

/** The migrations that the baseline replaces; `commit` is the newest version that contains them. */
const replaced = { count: 60, last: '20261125T055000Z-starts-budgets', commit: '2f2d046f' }

/** Whether the baseline replaces this migration. */
function isReplaced(name: string): boolean {
  return name < baselineName
}

/**
 * These migrations with the baseline in place of those that it replaces. Throws one sentence when
 * only some of those were applied: this version cannot migrate such a schema.
 */
export function withBaseline(applied: readonly string[]): string[] {
  const former = applied.filter(isReplaced)
  if (former.length === 0) return [...applied]
  const last = former.at(-1)
  if (former.length !== replaced.count || last !== replaced.last) {
    throw new Error(
      `This schema is older than the first release (${former.length} of ${replaced.count} migrations, the last is ${last}): install commit ${replaced.commit}, run its "countersign migrate", then use this version`,
    )
  }
  return [baselineName, ...applied.filter((name) => !isReplaced(name))]
}

/**
 * Records the baseline in place of the migrations that it replaces. It does so in one statement: if
 * several processes do it at the same time, it happens once. Throws as `withBaseline`, and changes
 * nothing then.
 */
export async function recordBaseline(db: Kysely<Database>): Promise<void> {
  const applied = await readMigrations(db)
  withBaseline(applied)
  if (!applied.some(isReplaced)) return
  await sql`
    with former as (delete from kysely_migration where name < ${baselineName} returning timestamp)
    insert into kysely_migration (name, timestamp)
      select ${baselineName}, max(timestamp) from former having count(*) > 0
  `.execute(db)
}
