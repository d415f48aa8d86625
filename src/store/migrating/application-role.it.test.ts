import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asForger } from '#test/harness/evidence/as-forger.ts'
import { agentDeskOn } from '#test/harness/fixtures/agent-desk.ts'
import { coverAudit } from '#test/harness/fixtures/cover-audit.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { writeCosignature } from '../audit/witnesses.ts'
import { changeableTrail, grantApplication } from './application-role.ts'
import { connectDatabase, type Db } from '../database.ts'
import { migrateToLatest } from './migrate.ts'

const role = { name: `app_${randomBytes(6).toString('hex')}`, password: "it's \\ a secret" }
const trail = ['audit_checkpoint', 'audit_cosignature', 'audit_event', 'audit_leaf', 'audit_tile']
let database: TestDatabase
let owner: Db
let application: Db
let url: string

beforeAll(async () => {
  database = await createTestDatabase()
  owner = database.db
  await grantApplication(owner, role)
  const address = new URL(database.url)
  address.username = role.name
  address.password = encodeURIComponent(role.password)
  url = address.href
  application = connectDatabase({ url, poolSize: 4, applicationName: 'test' })
})
afterAll(async () => {
  await application.destroy()
  await sql`drop owned by ${sql.id(role.name)}`.execute(owner)
  await sql`drop role ${sql.id(role.name)}`.execute(owner)
  await database[Symbol.asyncDispose]()
})

test('a missing role is created, and an existing one only gets its rights', async () => {
  const other = { name: `${role.name}_2`, password: null }
  expect(await grantApplication(owner, other)).toBe(true)
  expect(await grantApplication(owner, other)).toBe(false)
  await sql`drop owned by ${sql.id(other.name)}`.execute(owner)
  await sql`drop role ${sql.id(other.name)}`.execute(owner)
})

describe("as the application's role", () => {
  test('every statement that runs, decides, executes and adds checkpoints works', async () => {
    const as = { url, db: application, [Symbol.asyncDispose]: async () => undefined }
    await using desk = await agentDeskOn(as)
    desk.say({
      text: 'Two.',
      calls: [
        { tool: 'write_file', input: { path: 'notes/a.md', content: 'a\n' } },
        { tool: 'write_file', input: { path: 'notes/b.md', content: 'b\n' } },
      ],
    })
    const { runId, turn } = await desk.startTurn()
    const [one, other] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, one?.requestId ?? '')
    await desk.decide(desk.people.grace, other?.requestId ?? '', {
      decision: 'deny',
      then: 'continue',
    })
    await desk.perform(turn)
    expect(await desk.read('notes/a.md')).toBe('a\n')
    await desk.turn(runId, 2)
    await closeRun(desk.api, { runId })
    await coverAudit(application)
    const cosignature = {
      size: 1,
      id: 'witness.example+00000000',
      line: '',
      cosignedAt: new Date(),
    }
    await writeCosignature(application, cosignature)
    for (const table of trail) {
      const { rows } = await sql`select from ${sql.table(table)}`.execute(application)
      expect(rows.length).toBeGreaterThan(table === 'audit_tile' ? -1 : 0)
    }
  })

  test.each(trail)(
    '%s cannot be changed, emptied or dropped, and its triggers cannot be switched off',
    async (name) => {
      const table = sql.table(name)
      const column = sql.id(
        name === 'audit_event' ? 'type' : name === 'audit_leaf' ? 'event_id' : 'size',
      )
      const first = name === 'audit_tile' ? sql.id('level') : column
      for (const statement of [
        sql`update ${table} set ${first} = ${first}`,
        sql`delete from ${table}`,
        sql`truncate ${table}`,
        sql`alter table ${table} disable trigger all`,
        sql`alter table ${table} disable trigger ${sql.id(`${name}_append_only`)}`,
        sql`alter table ${table} rename to other`,
        sql`drop table ${table} cascade`,
        sql`create trigger mine before insert on ${table} execute function refuse_change()`,
        sql`drop trigger ${sql.id(`${name}_no_truncate`)} on ${table}`,
        sql`create rule mine as on insert to ${table} do instead nothing`,
      ]) {
        await expect(statement.execute(application)).rejects.toThrow(
          /permission denied|must be owner/,
        )
      }
    },
  )

  test('nothing of the schema can be created or replaced, and the role cannot extend its own rights', async () => {
    for (const statement of [
      sql`create table mine ()`,
      sql`create or replace function refuse_change() returns trigger language sql as ''`,
      sql`drop function refuse_change() cascade`,
      sql`alter role ${sql.id(role.name)} superuser`,
      sql`insert into kysely_migration values ('mine', 'now')`,
    ]) {
      await expect(statement.execute(application)).rejects.toThrow(
        /permission denied|must be owner/,
      )
    }
    await expect(sql`set session_replication_role = replica`.execute(application)).rejects.toThrow(
      'permission denied',
    )
    // Postgres warns, and gives nothing.
    await sql`grant delete on audit_event to ${sql.id(role.name)}`.execute(application)
    expect(await changeableTrail(application, null)).toEqual([])
  })

  test('a right that was added by hand is reported, and revoked by the next migration', async () => {
    await sql`grant delete on audit_leaf to ${sql.id(role.name)}`.execute(owner)
    expect(await changeableTrail(application, null)).toEqual(['audit_leaf'])
    expect(await changeableTrail(owner, role.name)).toEqual(['audit_leaf'])
    expect(await migrateToLatest(owner)).toEqual([])
    expect(await grantApplication(owner, role)).toBe(false)
    expect(await changeableTrail(application, null)).toEqual([])
  })

  test('two migrations that give rights at once do not disturb each other', async () => {
    await Promise.all([1, 2, 3].map(() => grantApplication(owner, role)))
    expect(await changeableTrail(application, null)).toEqual([])
  })
})

describe('as the owner', () => {
  test.each(trail)('%s is still refused by triggers that always fire', async (name) => {
    const table = sql.table(name)
    // Ordinary triggers do not fire then.
    const write = asForger(owner)
    await expect(write(sql`truncate ${table}`)).rejects.toThrow('append-only')
    const { rows } = await sql`select from ${table} limit 1`.execute(owner)
    if (rows.length > 0)
      await expect(write(sql`delete from ${table}`)).rejects.toThrow('append-only')
    const { rows: triggers } = await sql<{ enabled: string }>`
      select tgenabled as enabled from pg_trigger where tgrelid = ${name}::regclass and not tgisinternal
        and tgfoid = 'refuse_change'::regproc
    `.execute(owner)
    expect(triggers).toEqual([{ enabled: 'A' }, { enabled: 'A' }])
  })

  test('the report says that the trail can be changed', async () => {
    expect(await changeableTrail(owner, null)).toEqual(trail)
  })
})
