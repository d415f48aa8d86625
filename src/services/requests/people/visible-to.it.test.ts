import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { type LoggedQuery, textsOf, withQueryLog } from '#test/harness/fixtures/count-queries.ts'
import { addRequest, addRun, type TestRun } from '#test/harness/fixtures/gated-run.ts'
import { addKey, addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { ownersOfEarlierRows } from '#store/migrations/20261126T190000Z-st-owners.ts'
import { visibleEvents } from '../../access/visible-events.ts'
import { openExternal } from '../../external/open-external.ts'
import { viewerOf } from './viewer.ts'
import { requestVisibleTo, runVisibleTo } from './visible-to.ts'

const people: TestPerson[] = []
/** The seed of the choices, which are the same whenever the test runs. */
let state = 7

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const teams = [[], [], ['platform'], ['data'], ['operators'], ['platform', 'data']]
// The project must name people without a team: programs of others may ask nothing.
const addresses = ['ada@example.com', 'edsger@example.com']
for (const [index, of] of teams.entries()) {
  people.push(await addPerson(database.db, `Person ${index}`, of, addresses[index]))
}
// Two people who are behind no request, and may decide.
for (const name of ['Rosa', 'Radia']) await addPerson(database.db, name, ['platform', 'security'])
await addRuns(60)
await addPrograms(40)

function below(count: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((state / 2_147_483_648) * count)
}

function anyOf<T>(items: readonly T[]): T {
  const item = items[below(items.length)]
  if (item === undefined) throw new RangeError('There is none')
  return item
}

/** Runs of people and of keys that another may own, those below them, and what they ask. */
async function addRuns(count: number): Promise<void> {
  const keys = await Promise.all(people.map((person) => addKey(database.db, person)))
  const runs: { readonly run: TestRun; readonly startedBy: TestPerson }[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const above = below(2) === 0 && runs.length > 0 ? anyOf(runs) : undefined
    const startedBy = above?.startedBy ?? anyOf(people)
    const keyId = above === undefined && below(2) === 0 ? { keyId: anyOf(keys).id } : {}
    const parent = above === undefined ? {} : { parent: above.run }
    const run = await addRun(service, { startedBy, ...keyId, ...parent })
    runs.push({ run, startedBy })
    for (let position = 1; position <= below(3); position += 1) {
      const team = anyOf(['platform', 'security', 'data'])
      const other = anyOf(['platform', 'security', 'data'])
      const quorum = {
        any: [
          [
            { team, count: 1 },
            { team: other, count: 1 },
          ],
        ],
      }
      await addRequest(service, run, { position, quorum, routing: { queue: team, team } })
    }
  }
}

async function addPrograms(count: number): Promise<void> {
  const keys = await Promise.all(people.map((person) => addKey(database.db, person)))
  for (let nth = 0; nth < count; nth += 1) {
    const email = await rowOf(database.db, 'person', { id: anyOf(people).id })
    const onBehalfOf = below(2) === 0 ? {} : { onBehalfOf: email.email }
    await openExternal(service.ctx, anyOf(keys).caller, {
      tool: 'deploy',
      input: { version: nth },
      externalId: `call-${nth}`,
      ...onBehalfOf,
    })
  }
}

const own = (personId: string) => sql`array(select id from api_key where owner_id = ${personId})`
const teamsOf = (personId: string) =>
  sql`array(select team from team_member where person_id = ${personId})`

/** The rule in its own words: by the runs above, the keys, and what a program asked. */
function started(personId: string, runId: string) {
  return sql`exists (
    select from run_lineage join run as above on above.id = run_lineage.ancestor_id
    where run_lineage.run_id = ${sql.ref(runId)}
      and (above.started_by = ${personId} or above.api_key_id = any(${own(personId)})))`
}

function wentTo(personId: string, runId: string) {
  return sql`exists (
    select from request as other where other.run_id = ${sql.ref(runId)}
      and (other.team = any(${teamsOf(personId)}) or other.other_teams && ${teamsOf(personId)}))`
}

describe('for every reader, from one read of a row:', () => {
  test.each([0, 1, 2, 3, 4, 5])(
    'person %i sees the runs that the rule lets them see',
    async (nth) => {
      const { id, caller } = people[nth]!
      const viewer = await viewerOf(service.ctx, caller)
      const { rows } = await sql<{ id: string; shown: boolean; rule: boolean }>`
      select id, ${runVisibleTo(viewer)} is true as shown,
        (${viewer.managesRuns}::boolean or ${started(id, 'run.id')} or ${wentTo(id, 'run.id')}) as rule
      from run`.execute(database.db)
      expect(rows.filter(({ shown, rule }) => shown !== rule)).toEqual([])
      expect(rows.some(({ rule }) => rule)).toBe(true)
      expect(rows.every(({ rule }) => rule)).toBe(viewer.managesRuns)
    },
  )

  test.each([0, 1, 2, 3, 4, 5])(
    'person %i sees the requests that the rule lets them see',
    async (nth) => {
      const { id, caller } = people[nth]!
      const viewer = await viewerOf(service.ctx, caller)
      const { rows } = await sql<{ id: string; kind: string; shown: boolean; rule: boolean }>`
      select id, kind, ${requestVisibleTo(viewer, 'request')} is true as shown,
        (team = any(${teamsOf(id)}) or coalesce(other_teams && ${teamsOf(id)}, false)
          or ${viewer.managesRuns}::boolean and run_id is not null
          or ${started(id, 'request.run_id')} or ${wentTo(id, 'request.run_id')}
          or exists (select from external_request e where e.request_id = request.id
            and (e.owner_id = ${id} or e.on_behalf_of = ${id}))) as rule
      from request`.execute(database.db)
      expect(rows.filter(({ shown, rule }) => shown !== rule)).toEqual([])
      for (const kind of ['tool_call', 'external']) {
        const rules = rows.filter((row) => row.kind === kind).map(({ rule }) => rule)
        expect(rules).toContain(true)
      }
    },
  )
})

describe('people whose pages are open', () => {
  const type = 'run.changed'
  const events = async () => {
    const { rows } = await sql<{ id: string; runId: string | null; isRun: boolean }>`
      select id, run_id as "runId", false as "isRun" from request
      union all select id, null, true from run`.execute(database.db)
    return rows.map(({ id, runId, isRun }) => {
      if (isRun) return { id, type, subject: { runId: id } } as const
      return { id, type, subject: { requestId: id, ...(runId === null ? {} : { runId }) } } as const
    })
  }

  test('get the same events together as each would alone', async () => {
    const all = await events()
    const ids = people.map(({ id }) => id)
    const together = await visibleEvents(service.ctx, ids, all)
    for (const { id, caller } of people) {
      const viewer = await viewerOf(service.ctx, caller)
      const { rows } = await sql<{ id: string }>`
        select id from request where ${requestVisibleTo(viewer, 'request')}
        union all select id from run where ${runVisibleTo(viewer)}`.execute(database.db)
      const theirs = together.get(id)?.map((event) => event.id)
      expect(theirs?.toSorted()).toEqual(rows.map((row) => row.id).toSorted())
    }
  })

  test('are checked by two queries, however many they are, and an id that is no request or run is shown to nobody', async () => {
    const queries: LoggedQuery[] = []
    await using db = withQueryLog(database.url, queries)
    const ctx = { ...service.ctx, db }
    const ids = people.map(({ id }) => id)
    const forged = { id: 'none', type, subject: { requestId: randomUUID() } } as const
    const visible = await visibleEvents(ctx, ids, [...(await events()), forged])
    expect(queries.length, textsOf(queries)).toBe(2)
    const visibleIds = [...visible.values()].flat().map(({ id }) => id)
    expect(visibleIds.length).toBeGreaterThan(0)
    expect(visibleIds).not.toContain('none')
  })

  test('get the event that another policy is in force, whoever they are', async () => {
    const ids = people.map(({ id }) => id)
    const change = { type: 'policy.changed', subject: {} } as const
    const visible = await visibleEvents(service.ctx, ids, [change])
    expect([...visible.values()]).toEqual(ids.map(() => [change]))
  })
})

test('rows of an earlier version get the owners that new ones have', async () => {
  const owners = async (): Promise<unknown> => {
    const ofRuns = sql`select id, null::uuid as owner_id, co_owner_id from run`
    const { rows } = await sql`
      ${ofRuns} union all select id, owner_id, co_owner_id from request order by id
    `.execute(database.db)
    return rows
  }
  const before = await owners()
  await sql`update run set co_owner_id = null`.execute(database.db)
  await sql`update request set owner_id = null, co_owner_id = null`.execute(database.db)
  expect(await owners()).not.toEqual(before)
  await sql.raw(ownersOfEarlierRows).execute(database.db)
  expect(await owners()).toEqual(before)
})
