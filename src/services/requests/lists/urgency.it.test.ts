import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { extendRequest } from '../extend-request.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { moveUrgent } from './move-urgent.ts'
import { listRequests } from './list-requests.ts'
import { useRequestDesk, database, service, ada, grace } from '../requests.fixture.ts'

useRequestDesk()

const hour = 3_600_000
type Risk = 'low' | 'medium' | 'high'
const named = new Map<string, string>()

/** A request of a run of its own, unless another is given. */
async function ask(name: string, hours: number, risk: Risk, of?: Parameters<typeof addRequest>[1]) {
  const run = of ?? (await addRun(service, { startedBy: ada }))
  const position = of === undefined ? 1 : named.size + 2
  const request = await addRequest(service, run, { risk, expiresInMs: hours * hour, position })
  named.set(request.id, name)
  return { ...request, run }
}

/** Names in the order of the list, on pages of so many. */
async function order(limit: number, input: object): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Awaited<ReturnType<typeof listRequests>> = await listRequests(
      service.ctx,
      grace.caller,
      { ...input, limit, ...(cursor === '' ? {} : { cursor }) },
    )
    found.push(...page.items.map(({ id }) => named.get(id) ?? id))
    cursor = page.nextCursor
  }
  return found
}
const waiting = (): Promise<string[]> => order(50, { state: 'pending' })

/** Time passes: everything that waits was opened, and ends, so many hours earlier. */
async function pass(hours: number): Promise<void> {
  await sql`
    alter table request disable trigger user;
    update request set expires_at = expires_at - ${sql.lit(hours)} * interval '1 hour',
      urgency_next_at = urgency_next_at - ${sql.lit(hours)} * interval '1 hour'
    where state = 'pending';
    alter table request enable trigger user
  `.execute(database.db)
}

describe('without a given order, requests are sorted by urgency:', () => {
  let late: TestRequest
  beforeAll(async () => {
    await sql`truncate request cascade`.execute(database.db)
    late = await ask('late, high', 30, 'high')
    await ask('day, low', 20, 'low')
    await ask('day, low, younger', 5, 'low')
    await ask('day, high', 23, 'high')
    await ask('soon, medium', 0.5, 'medium')
    await ask('hours, low', 2, 'low')
  })

  test('the class of the deadline first, then risk, then age, on pages of any size', async () => {
    const expected = [
      'soon, medium',
      'hours, low',
      'day, high',
      'day, low',
      'day, low, younger',
      'late, high',
    ]
    for (const limit of [1, 2, 4, 50]) {
      expect(await order(limit, { state: 'pending' })).toEqual(expected)
      expect(await order(limit, { mine: true, queue: 'platform', sort: 'urgency' })).toEqual(
        expected,
      )
    }
  })

  test('a request is re-sorted when its deadline is extended, and when time passes, once', async () => {
    const expiresAt = new Date(Date.now() + 40 * hour).toISOString()
    const soon = [...named].find(([, name]) => name === 'soon, medium')?.[0] ?? ''
    await extendRequest(service.ctx, grace.caller, { request: soon, expiresAt })
    expect((await waiting()).slice(-2)).toEqual(['late, high', 'soon, medium'])
    await moveUrgent(database.db)
    expect(await moveUrgent(database.db)).toEqual({ moved: 0, more: false })
    await pass(7)
    expect((await moveUrgent(database.db)).moved).toBe(3)
    expect(await waiting()).toEqual([
      'day, low, younger',
      'hours, low',
      'late, high',
      'day, high',
      'day, low',
      'soon, medium',
    ])
    expect((await moveUrgent(database.db)).moved).toBe(0)
  })

  test('a round skips a request that is being decided, and re-sorts it in the next one', async () => {
    await pass(20)
    const deciding = new pg.Client({ connectionString: database.url })
    await deciding.connect()
    await deciding.query('begin')
    await deciding.query('select from request where id = $1 for update', [late.id])
    await moveUrgent(database.db)
    await deciding.end()
    expect((await moveUrgent(database.db)).moved).toBe(1)
  })
})

describe('requests of one turn', () => {
  let alone: TestRequest
  beforeAll(async () => {
    await sql`truncate request cascade`.execute(database.db)
    named.clear()
  })

  // Rules: product.md 15
  test('stand together, in call order, at the place of the first; deciding that one does not move the others', async () => {
    const run = (await ask('alone, medium', 2, 'medium')).run
    alone = await ask('alone, high', 2, 'high')
    const other = await addRun(service, { startedBy: ada })
    await ask('1 low', 2, 'low', other)
    await ask('2 low', 50, 'low', other)
    expect(await waiting()).toEqual(['alone, high', 'alone, medium', '1 low', '2 low'])
    const urgent = await ask('3 high', 0.5, 'high', other)
    // The others are not locked for it: a round moves them.
    expect((await moveUrgent(database.db)).moved).toBe(3)
    const expected = ['1 low', '2 low', '3 high', 'alone, high', 'alone, medium']
    for (const limit of [1, 2, 50])
      expect(await order(limit, { state: 'pending' })).toEqual(expected)
    await decideAs(service.ctx, grace, urgent, { decision: 'deny', reason: 'no' })
    expect(await waiting()).toEqual(['1 low', '2 low', 'alone, high', 'alone, medium'])
    expect(run.id).not.toBe(other.id)
  })

  test('ended requests come after the waiting ones, the newest first', async () => {
    await decideAs(service.ctx, grace, alone, { decision: 'deny', reason: 'no' })
    const expected = ['1 low', '2 low', 'alone, medium', '3 high', 'alone, high']
    for (const limit of [1, 3, 50]) expect(await order(limit, {})).toEqual(expected)
    expect(await order(50, { state: 'denied' })).toEqual(['3 high', 'alone, high'])
  })
})
