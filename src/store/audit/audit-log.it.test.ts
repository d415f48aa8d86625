import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { misfiledEvents } from './audit-log-export.ts'

const database = disposeAfterTests(await createTestDatabase())
await sql`insert into audit_leaf values (0, gen_random_uuid())`.execute(database.db)
await sql`insert into audit_tile values (0, 0, '', '')`.execute(database.db)
await sql`insert into audit_checkpoint values (1, 'signed')`.execute(database.db)

describe('the tables of the log', () => {
  it.each([
    'update audit_leaf set index = 2',
    'delete from audit_leaf',
    'truncate audit_leaf',
    "update audit_tile set hashes = '1'",
    'delete from audit_tile',
    'truncate audit_tile',
    "update audit_checkpoint set note = ''",
    'delete from audit_checkpoint',
    'truncate audit_checkpoint',
  ])('refuse "%s", also to a session that switches triggers off', async (change) => {
    await database.db.connection().execute(async (connection) => {
      await expect(sql.raw(change).execute(connection)).rejects.toThrow('append-only')
      await sql`set session_replication_role = replica`.execute(connection)
      await expect(sql.raw(change).execute(connection)).rejects.toThrow('append-only')
      await sql`reset session_replication_role`.execute(connection)
    })
  })

  it.each([
    'insert into audit_leaf values (0, gen_random_uuid())',
    "insert into audit_checkpoint values (1, 'another')",
    "insert into audit_tile values (0, 0, '', '')",
  ])('refuse a second one in the same place: %s', async (insert) => {
    await expect(sql.raw(insert).execute(database.db)).rejects.toThrow('duplicate key')
  })
})

it('an export parses each event once to compare it with its row', async () => {
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain (verbose) ${misfiledEvents}
  `.execute(database.db)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan.match(/[.]document\)::jsonb/g), plan).toHaveLength(1)
})
