import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRun, type TestRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { costOf } from '#test/harness/fixtures/reading-cost.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import type { UsageKey } from '#domain/insight-key.ts'
import { listRuns } from '../runs/reading/list-runs.ts'
import { readUsage } from './read-usage.ts'

const database = disposeAfterTests(await createTestDatabase())
const { db } = database
const service = await createTestService(db)
const ada = await addPerson(db, 'Ada', [])
const grace = await addPerson(db, 'Grace', [])
const aud = await addPerson(db, 'Aud', ['auditors'])

const ofAda = await addRun(service, { startedBy: ada })
const ofGrace = await addRun(service, { startedBy: grace })
const another = await addRun(service, { startedBy: grace })
await db.updateTable('run').set({ worker: 'clerk' }).where('id', '=', another.id).execute()

let turn = 0
async function step({ id: run_id }: TestRun, tokens: readonly number[], costUsd: number | null) {
  const [input, cached, output] = tokens.map(String)
  turn += 1
  await db
    .insertInto('turn_attempt')
    .values({
      run_id,
      turn,
      attempt: 1,
      input_tokens: input ?? null,
      cached_input_tokens: cached ?? null,
      output_tokens: output ?? null,
      cost_usd: costUsd,
    })
    .execute()
}
await step(ofAda, [100, 40, 10], 0.5)
await step(ofAda, [200, 150, 20], null)
await step(ofGrace, [1000, 0, 5], 2)
await step(another, [7, 0, 1], null)
// One that was killed before its model answered.
await step(another, [], null)

const usageOf = async (by: UsageKey, { caller }: TestPerson) =>
  (await readUsage(service.ctx, caller, { by })).items
const sums = (inputTokens: number, cachedInputTokens: number, outputTokens: number) => ({
  inputTokens,
  cachedInputTokens,
  outputTokens,
})

// Rules: product.md 33
test('the tokens and the cost of models are added up by worker and by starter of the run, the most expensive first', async () => {
  expect(await usageOf('worker', aud)).toEqual([
    { key: 'scribe', name: 'scribe', runs: 2, ...sums(1300, 190, 35), costUsd: 2.5 },
    { key: 'clerk', name: 'clerk', runs: 1, ...sums(7, 0, 1), costUsd: null },
  ])
  expect(await usageOf('person', aud)).toEqual([
    { key: grace.id, name: 'Grace', runs: 2, ...sums(1007, 0, 6), costUsd: 2 },
    { key: ada.id, name: 'Ada', runs: 1, ...sums(300, 190, 30), costUsd: 0.5 },
  ])
})

// Rules: security.md 22
test('people who may not read the trail see the usage of the runs that they may see', async () => {
  const own = { runs: 1, ...sums(300, 190, 30), costUsd: 0.5 }
  expect(await usageOf('worker', ada)).toEqual([{ key: 'scribe', name: 'scribe', ...own }])
  expect(await usageOf('person', ada)).toEqual([{ key: ada.id, name: 'Ada', ...own }])
  expect(await usageOf('worker', await addPerson(db, 'Sam', []))).toEqual([])
})

test('usage, and the list of its runs, cover the requested period, 92 days at most, and no other rows are read', async () => {
  await sql`
    insert into turn_attempt (run_id, turn, attempt, started_at, input_tokens, cost_usd)
    select ${ofAda.id}, n, 2, now() - interval '100 days' - n * interval '1 minute', 1, 1
    from generate_series(1, 20000) n
  `.execute(db)
  await sql`analyze`.execute(db)
  const queries: LoggedQuery[] = []
  await using logged = withQueryLog(database.url, queries)
  const { items } = await readUsage({ ...service.ctx, db: logged }, aud.caller, { by: 'worker' })
  expect(items).toHaveLength(2)
  const cost = await costOf(database.url, queries, new Set(['turn_attempt']))
  expect(cost.unindexed).toEqual([])
  expect(cost.rows, JSON.stringify(cost)).toBeLessThan(100)
  const hour = 3_600_000
  const active = async (from: Date, to: Date) => {
    const page = await listRuns(service.ctx, grace.caller, { active: { from, to } })
    return page.items.map(({ id }) => id)
  }
  // A run of another person, who cannot see it, is not in the list, nor one without a step then.
  expect(await active(new Date(Date.now() - hour), new Date())).toEqual([another.id, ofGrace.id])
  const ago = (hours: number) => new Date(Date.now() - hours * hour)
  expect(await active(ago(24 * 91), ago(1))).toEqual([])
  for (const time of [
    { from: ago(1) },
    { to: ago(1) },
    { from: ago(24 * 93), to: new Date() },
    { from: ago(1), to: ago(2) },
  ]) {
    const refused = await refusal(listRuns(service.ctx, grace.caller, { active: time }))
    expect(refused).toMatchObject({ code: 'invalid_request', facts: { field: 'activeFrom' } })
  }
  const of = (from: number, to: number) => {
    const times = { from: new Date(Date.now() + from), to: new Date(Date.now() + to) }
    return readUsage(service.ctx, aud.caller, { by: 'worker', ...times })
  }
  expect((await of(-2 * hour, -hour)).items).toEqual([])
  expect((await refusal(of(hour, -hour))).code).toBe('invalid_request')
  expect((await refusal(of(-93 * 24 * hour, 0))).code).toBe('invalid_request')
})
