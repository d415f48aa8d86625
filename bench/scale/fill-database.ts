import { sql } from 'kysely'
import { putContent } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { generateRequest } from './generate-request.ts'
import type { Year } from './request-case.ts'

/** A filled database, and people with different rights to see it. */
export interface FilledDatabase {
  readonly service: TestService
  /** is in the team of two queues */
  readonly member: TestPerson
  /** may manage runs and sees everything */
  readonly manager: TestPerson
  /** may read the whole trail, and is in the quorum of few requests */
  readonly auditor: TestPerson
  /** is in no team, and started one run in thirty */
  readonly starter: TestPerson
  /** is in no team, and started nothing */
  readonly stranger: TestPerson
  readonly year: Year
}

const batch = 1000

/**
 * Fills an empty database with the runs of a year, one request and ten events each. The last
 * `pending` requests are pending.
 */
export async function fillDatabase(
  db: Db,
  counts: { readonly requests: number; readonly pending: number },
): Promise<FilledDatabase> {
  const service = await createTestService(db)
  const people = []
  for (let nth = 0; nth < 30; nth += 1) people.push(await addPerson(db, `Person ${nth}`, []))
  const member = await addPerson(db, 'Grace', ['platform', 'data'])
  const manager = await addPerson(db, 'Olga', ['operators'])
  const auditor = await addPerson(db, 'Aud', ['auditors'])
  const stranger = await addPerson(db, 'Sam', [])
  const contentHash = await db.transaction().execute((tx) => putContent(tx, '"keep the notes"'))
  const worker = service.policy.workers.get('scribe')
  if (worker === undefined) throw new Error('the fixture project has a worker scribe')
  const year: Year = {
    people,
    queues: ['platform', 'security', 'data'],
    worker,
    policyDigest: service.policy.digest,
    contentHash,
    signer: service.signer,
    beganMs: Date.now() - counts.requests * 5 * 60_000,
    ...counts,
  }
  for (let from = 0; from < counts.requests; from += batch) {
    await insertBatch(db, year, from, Math.min(from + batch, counts.requests))
  }
  await sql`vacuum analyze`.execute(db)
  return { service, member, manager, auditor, starter: firstOf(people), stranger, year }
}

async function insertBatch(db: Db, year: Year, from: number, end: number): Promise<void> {
  const rowsOf = new Map<string, object[]>()
  for (let index = from; index < end; index += 1) {
    for (const [table, rows] of Object.entries(generateRequest(year, index))) {
      const rowsOfTable = rowsOf.get(table) ?? []
      rowsOf.set(table, rowsOfTable)
      rowsOfTable.push(...rows)
    }
  }
  await db.transaction().execute(async (tx) => {
    for (const [table, rows] of rowsOf) {
      const columns = sql.join(Object.keys(firstOf(rows)).map((name) => sql.ref(name)))
      await sql`
        insert into ${sql.table(table)} (${columns})
        select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
      `.execute(tx)
    }
  })
}

function firstOf<T>(items: readonly T[]): T {
  const [first] = items
  if (first === undefined) throw new RangeError('There is none')
  return first
}
