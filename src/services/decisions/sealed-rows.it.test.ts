import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { asForger } from '#test/harness/evidence/as-forger.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { gatedWrites } from '#test/harness/fixtures/gated-writes.ts'

import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { putContent } from '#store/content/content.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { requestContent } from '../requests/detail/request-content.ts'
import { readChangeSet } from '../runs/reading/read-change-set.ts'
import { sealedTables } from '#domain/statements/sealed-tables.ts'
import { trailOf } from '#test/harness/fixtures/trail.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'

/** Rows that identify somebody are tested over HTTP: test/api/access/forged-rows.test.ts. */
const decisionTables = ['request', 'request_revision', 'decision', 'person', 'membership'] as const
type DecisionTable = (typeof decisionTables)[number]

const { aWrite, requestRow } = gatedWrites(() => desk)

const two = 'routing: [{ when: { tool: "*" }, queue: platform, quorum: { count: 2 } }]\n'

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': `${deskConfig}${two}` })
const row = await rowOf(desk.database.db, 'person', { email: 'linus@example.com' })
const linus: TestPerson = {
  ...row,
  caller: { actor: { type: 'person', ...row }, channel: 'dashboard' },
}

const write = asForger(desk.database.db)

/** The code of the newest refusal of a request that the trail has. */
async function newestRefusal(requestId: string): Promise<unknown> {
  const { db } = desk.database
  return (await trailOf(db, { request: requestId }, 'decision.refused')).at(-1)?.detail['code']
}

async function refused(requestId: string, who = linus) {
  const { code, facts } = await refusal(desk.decide(who, requestId))
  expect(await newestRefusal(requestId)).toBe(code)
  return { code, which: facts['which'] }
}

/** What a forger may write instead: something that the table's own checks let through. */
const instead: Readonly<Record<string, string>> = {
  state: 'approved',
  kind: 'attachment',
  risk: 'high',
  decision: 'deny',
  scope: 'run',
  denied_then: 'continue',
  why: 'messaged',
}

async function otherValue(table: DecisionTable, column: string) {
  const { rows } = await sql<{ type: string }>`
    select format_type(atttypid, null) as type from pg_attribute
    where attrelid = ${table}::regclass and attname = ${column}`.execute(desk.database.db)
  switch (rows[0]?.type) {
    case 'uuid':
      return sql`gen_random_uuid()`
    case 'uuid[]':
      return sql`array[gen_random_uuid()]`
    case 'integer':
      return sql`coalesce(${sql.ref(column)}, 0) + 1`
    case 'boolean':
      return sql`not ${sql.ref(column)}`
    case 'jsonb':
      return sql`coalesce(${sql.ref(column)}, '{}') || '{"forged":true}'`
    case 'timestamp with time zone':
      return sql`coalesce(${sql.ref(column)}, clock_timestamp()) + interval '1 hour'`
    default:
      return sql`${instead[column] ?? 'forged'}`
  }
}

/** The primary keys, by which rows are found. A separate test exchanges whole rows. */
const keys: Readonly<Record<DecisionTable, { columns: string[]; where: string }>> = {
  request: { columns: ['id'], where: `id = '$request'` },
  request_revision: { columns: ['request_id', 'revision'], where: `request_id = '$request'` },
  decision: {
    columns: ['id', 'request_id', 'revision', 'decision'],
    where: `request_id = '$request'`,
  },
  person: { columns: ['id'], where: `id = '$linus'` },
  membership: { columns: ['person_id'], where: `person_id = '$linus'` },
}

const columns = decisionTables.flatMap((table) =>
  sealedTables[table].columns
    .filter((column) => !keys[table].columns.includes(column))
    .map((column) => [table, column] as const),
)

/** Refusals that repeat what the forged row says: the forgery decides nothing. */
const harmless: Readonly<Record<string, string>> = {
  'request.state': 'already_decided',
  'person.disabled_at': 'not_eligible',
  // Linus is then none of its people.
  'membership.team': 'not_found',
}

// Rules: security.md 29
describe('a decision', () => {
  let requestId: string

  beforeAll(async () => {
    requestId = (await aWrite()).call.requestId
    await desk.decide(desk.people.grace, requestId)
  })

  test.each(columns)(
    'rests on no %s whose %s was changed in the database',
    async (table, column) => {
      const name = sql.table(table)
      const where = sql.raw(
        `${table}.${keys[table].where.replace('$request', requestId).replace('$linus', linus.id)}`,
      )
      const { rows } = await sql<{ row: object }>`
      select row_to_json(${name}.*)::jsonb as row from ${name} where ${where}`.execute(
        desk.database.db,
      )
      const other = await otherValue(table, column)
      await write(sql`update ${name} set ${sql.ref(column)} = ${other} where ${where}`)
      try {
        const { code } = await refusal(desk.decide(linus, requestId))
        const expectedCode = harmless[`${table}.${column}`] ?? 'tampered'
        expect(code).toBe(expectedCode)
        if (expectedCode === 'tampered') expect(await newestRefusal(requestId)).toBe(code)
      } finally {
        await write(sql`update ${name} set ${sql.ref(column)} = was.${sql.ref(column)}
        from jsonb_populate_record(null::${name}, ${JSON.stringify(rows[0]?.row)}::jsonb) as was
        where ${where}`)
      }
    },
  )

  test('is accepted when every row is unchanged', async () => {
    await desk.decide(linus, requestId)
    expect(await requestRow(requestId)).toMatchObject({ state: 'approved' })
  })
})

describe('the people behind a request', () => {
  test('who are deleted from it are still known: the starter approves nothing', async () => {
    const { call } = await aWrite()
    await write(sql`delete from request_principal where request_id = ${call.requestId}`)
    const { ada } = desk.people
    expect(await refused(call.requestId, ada)).toEqual({ code: 'tampered', which: 'principals' })
    expect(await requestRow(call.requestId)).toMatchObject({ state: 'pending' })
  })

  test('who are replaced in its row are still known, too', async () => {
    const { call } = await aWrite()
    await write(sql`update request_principal set person_id = ${desk.people.olga.id}
      where request_id = ${call.requestId}`)
    expect(await refused(call.requestId)).toEqual({ code: 'tampered', which: 'principals' })
  })

  test('come from signed rows only: nobody approves by a run that was another person’s for a moment', async () => {
    const path = 'notes/borrowed.md'
    desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'x' } }] })
    const runId = await desk.start()
    await write(sql`update run set started_by = ${desk.people.olga.id} where id = ${runId}`)
    await desk.turn(runId, 1)
    await write(sql`update run set started_by = ${desk.people.ada.id} where id = ${runId}`)
    const rows = await rowsOf(desk.database.db, 'request', { run_id: runId }, 'id', 'seal')
    for (const { id, seal } of rows) {
      expect(seal).toBeNull()
      expect((await refused(id, desk.people.ada)).code).toBe('tampered')
    }
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
  })
})

describe('the page of a request', () => {
  test.each(['presentation_hash', 'input_hash'] as const)(
    'accepts no decision by a %s that was changed while somebody read it',
    async (column) => {
      const { requestId } = (await aWrite()).call
      const read = () => getRequest(desk.api, linus.caller, { request: requestId })
      expect((await read()).eligibility).toEqual({ canDecide: true, reason: null })
      const { db } = desk.database
      const before = await rowOf(
        db,
        'request_revision',
        { request_id: requestId },
        'presentation_hash',
        'input_hash',
        'presentation_digest',
      )
      const { presentation } = await read()
      const harmless = await putContent(
        db,
        JSON.stringify({ ...presentation, content: 'nothing to see here' }),
      )
      await write(sql`update request_revision set ${sql.ref(column)} = ${harmless}
        where request_id = ${requestId}`)
      const content = requestContent(desk.api, linus.caller, { request: requestId })
      expect((await refusal(content)).code).toBe('tampered')
      expect(await read()).toMatchObject({
        allowedDecisions: [],
        eligibility: {
          canDecide: false,
          reason: expect.stringContaining('changed in the database'),
        },
      })
      await write(sql`update request_revision set ${sql.ref(column)} = ${before[column]}
        where request_id = ${requestId}`)
      expect((await read()).eligibility.canDecide).toBe(true)
    },
  )

  test('and its change set show only the presentation whose digest the decision names', async () => {
    const { requestId } = (await aWrite()).call
    const { db } = desk.database
    const { run_id: runId, turn } = await rowOf(db, 'request', { id: requestId })
    const changeSet = () =>
      readChangeSet(desk.api, linus.caller, { runId: runId ?? '', turn: turn ?? 0 })
    const [call] = (await changeSet()).calls
    const other = { ...call?.shown?.presentation, content: 'nothing to see here' }
    const harmless = await putContent(db, JSON.stringify(other))
    await write(sql`update request_revision set presentation_hash = ${harmless}
      where request_id = ${requestId}`)
    expect((await refusal(changeSet())).code).toBe('tampered')
  })
})

describe('a row', () => {
  test('of another request does not replace the genuine one, even with its seal', async () => {
    const [one, other] = [(await aWrite()).call.requestId, (await aWrite()).call.requestId]
    await write(sql`update request set routing = o.routing, digest = o.digest, seal = o.seal,
      expires_at = o.expires_at, principals_digest = o.principals_digest
      from request o where request.id = ${one} and o.id = ${other}`)
    expect((await refused(one)).code).toBe('tampered')
    await write(sql`update request_revision set digest = o.digest, input_hash = o.input_hash, seal = o.seal
      from request_revision o where request_revision.request_id = ${other} and o.request_id = ${one}`)
    expect((await refused(other)).code).toBe('tampered')
  })

  test('of a vote that nobody gave fills no quorum, invented or copied', async () => {
    const { call } = await aWrite()
    const { requestId } = call
    await desk.decide(desk.people.grace, requestId)
    await write(sql`insert into decision select (jsonb_populate_record(d, jsonb_build_object(
      'id', gen_random_uuid(), 'person_id', ${desk.people.olga.id}::text))).* from decision d
      where request_id = ${requestId}`)
    expect(await refused(requestId)).toEqual({ code: 'tampered', which: 'decision' })
    await write(
      sql`update decision set seal = null where request_id = ${requestId} and person_id = ${desk.people.olga.id}`,
    )
    expect(await refused(requestId)).toEqual({ code: 'tampered', which: 'decision' })
  })

  test('of a membership that nobody gave makes no approver, though it is copied', async () => {
    const { call } = await aWrite()
    await write(sql`insert into membership (team, person_id, until, seal)
      select 'platform', ${desk.people.olga.id}, until, seal from membership where person_id = ${linus.id}`)
    const { olga } = desk.people
    expect(await refused(call.requestId, olga)).toEqual({ code: 'tampered', which: 'membership' })
    await write(sql`delete from membership where person_id = ${olga.id} and team = 'platform'`)
  })
})
