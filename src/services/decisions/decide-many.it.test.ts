import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { textsOf, withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowsOf, statesOf } from '#test/harness/fixtures/rows.ts'
import { lockRun } from '../core/locks.ts'
import { decideMany } from './decide-many.ts'
import {
  ada,
  auditTypes,
  database,
  grace,
  linus,
  run,
  service,
  useDecisionDesk,
} from './decisions.fixture.ts'

useDecisionDesk()

function item(request: TestRequest, decision: 'approve' | 'deny', more = {}) {
  const seen = decision === 'approve' ? { seen: request.presentationDigest } : {}
  return { requestId: request.id, decision, digest: request.digest, revision: 1, ...seen, ...more }
}

function unseen(request: TestRequest) {
  const { seen: _, ...rest } = { seen: '', ...item(request, 'approve') }
  return rest
}

const states = (...requests: TestRequest[]) =>
  statesOf(
    database.db,
    requests.map(({ id }) => id),
  )

// Rules: product.md 39
test('no approval in one action counts without the digest of the presentation that was shown, at any risk, not even a single one', async () => {
  const request = await addRequest(service, run)
  const other = await addRequest(service, run, { position: 2 })
  const wrong = item(other, 'approve', { seen: request.presentationDigest.replace(/.$/, 'x') })
  for (const decisions of [[unseen(request)], [unseen(request), wrong]]) {
    const { items } = await decideMany(service.ctx, grace.caller, { decisions })
    expect(items.map(({ status, code }) => [status, code])).toEqual(
      decisions.map(() => [422, 'not_displayed']),
    )
  }
  expect(await states(request, other)).toEqual(['pending', 'pending'])
  const denied = { decisions: [{ ...unseen(request), decision: 'deny' }] }
  const { items } = await decideMany(service.ctx, grace.caller, denied)
  expect(items).toMatchObject([{ state: 'denied' }])
})

// Rules: product.md 15
test('alike approvals are decided individually, with one batch id on every decision', async () => {
  const requests: TestRequest[] = []
  for (const position of [1, 2, 3]) requests.push(await addRequest(service, run, { position }))
  const answer = await decideMany(service.ctx, grace.caller, {
    decisions: requests.map((request) => item(request, 'approve')),
  })
  expect(answer.items.map((one) => [one.status, one.state])).toEqual([
    [200, 'approved'],
    [200, 'approved'],
    [200, 'approved'],
  ])
  const rows = await rowsOf(
    database.db,
    'decision',
    { batch_decision_id: answer.batchDecisionId },
    'batch_decision_id',
  )
  expect(rows).toHaveLength(3)
})

test('approvals of unlike requests (another tool, another rule, high risk) are not recorded; the denials among them are', async () => {
  const others = [{ tool: 'delete_file' }, { ruleId: 'overlay:1' }, { risk: 'high' as const }]
  for (const [index, unlike] of others.entries()) {
    const alike = await addRequest(service, run, { position: index * 4 + 1 })
    const same = await addRequest(service, run, { position: index * 4 + 2 })
    const other = await addRequest(service, run, { position: index * 4 + 3, ...unlike })
    const denied = await addRequest(service, run, { position: index * 4 + 4, tool: 'move_file' })
    const { items } = await decideMany(service.ctx, grace.caller, {
      decisions: [
        item(alike, 'approve'),
        item(same, 'approve'),
        item(other, 'approve', { reason: 'read' }),
        item(denied, 'deny'),
      ],
    })
    expect(items.map((one) => one.code ?? one.state)).toEqual([
      'not_alike',
      'not_alike',
      'not_alike',
      'denied',
    ])
    expect(await states(alike, same, other)).toEqual(['pending', 'pending', 'pending'])
  }
})

// Rules: product.md 40
describe('a change set', () => {
  function together(decisions: ReturnType<typeof item>[], turn = { runId: run.id, turn: 1 }) {
    return decideMany(service.ctx, grace.caller, { decisions, turn })
  }

  test('of one turn may have unlike calls, and is judged in call order, in whatever order they are listed', async () => {
    const first = await addRequest(service, run)
    const second = await addRequest(service, run, { position: 2, tool: 'delete_file' })
    const third = await addRequest(service, run, { position: 3, ruleId: 'overlay:1' })
    const { items } = await together([
      item(third, 'approve'),
      item(second, 'deny', { then: 'stop' }),
      item(first, 'approve'),
    ])
    expect(items.map((one) => [one.requestId, one.code ?? one.state])).toEqual([
      [third.id, 'cancelled'],
      [second.id, 'denied'],
      [first.id, 'approved'],
    ])
  })

  test('takes no request of another turn or run, and no approval without the digest that was shown', async () => {
    const own = await addRequest(service, run)
    const other = await addRequest(service, await addRun(service, { startedBy: ada }))
    const { items } = await together([item(other, 'approve'), item(other, 'deny')])
    expect(items.map(({ status, code }) => [status, code])).toEqual([
      [422, 'not_of_turn'],
      [422, 'not_of_turn'],
    ])
    const later = await together([item(own, 'approve')], { runId: run.id, turn: 2 })
    expect(later.items).toMatchObject([{ code: 'not_of_turn' }])
    const blind = await together([unseen(own)])
    expect(blind.items).toMatchObject([{ code: 'not_displayed' }])
    expect(await states(own, other)).toEqual(['pending', 'pending'])
  })

  test('leaves requests of high risk to individual decisions, and decides the others', async () => {
    const high = await addRequest(service, run, { risk: 'high' })
    const low = await addRequest(service, run, { position: 2 })
    const { items } = await together([
      item(high, 'approve', { reason: 'read' }),
      item(low, 'approve'),
    ])
    expect(items.map((one) => one.code ?? one.state)).toEqual(['not_alike', 'approved'])
  })

  test('approves a request of high risk that it approves alone, by the rules of a decision of its own', async () => {
    const high = await addRequest(service, run, { risk: 'high' })
    const other = await addRequest(service, run, { position: 2 })
    const without = await together([item(high, 'approve'), item(other, 'deny')])
    expect(without.items).toMatchObject([{ code: 'reason_required' }, { state: 'denied' }])
    const { items } = await together([item(high, 'approve', { reason: 'read' })])
    expect(items).toMatchObject([{ state: 'approved' }])
  })
})

test('one approval among denials need not be like them, and denying many unlike requests is always allowed', async () => {
  const high = await addRequest(service, run, { risk: 'high' })
  const other = await addRequest(service, run, { position: 2, tool: 'delete_file' })
  const third = await addRequest(service, run, { position: 3, ruleId: 'overlay:2' })
  const { items } = await decideMany(service.ctx, grace.caller, {
    decisions: [
      item(high, 'approve', { reason: 'read', seen: high.presentationDigest }),
      item(other, 'deny'),
      item(third, 'deny'),
    ],
  })
  expect(items.map((one) => one.state)).toEqual(['approved', 'denied', 'denied'])
})

// Rules: product.md 15
test('each item that is refused has its own reason, and the others are decided', async () => {
  const good = await addRequest(service, run)
  const own = await addRequest(service, await addRun(service, { startedBy: grace }))
  const stale = await addRequest(service, run, { position: 2 })
  const { items } = await decideMany(service.ctx, grace.caller, {
    decisions: [
      item(good, 'approve'),
      item(own, 'approve'),
      item(stale, 'approve', { revision: 9 }),
      { ...item(good, 'approve'), requestId: '424242' },
      item(good, 'deny'),
    ],
  })
  expect(items.map((one) => [one.status, one.code ?? one.state])).toEqual([
    [200, 'approved'],
    [403, 'not_eligible'],
    [412, 'stale_revision'],
    [404, 'not_found'],
    [409, 'already_decided'],
  ])
})

describe('approvals in one call', () => {
  const waiting = async (count: number): Promise<TestRequest[]> => {
    const requests: TestRequest[] = []
    for (let position = 1; position <= count; position += 1) {
      requests.push(await addRequest(service, run, { position }))
    }
    return requests
  }

  test('of one run are committed together, with the same decision, permit and event for each as when decided alone', async () => {
    const requests = await waiting(20)
    const queries: LoggedQuery[] = []
    const db = withQueryLog(database.url, queries)
    const { items } = await decideMany({ ...service.ctx, db }, grace.caller, {
      decisions: requests.map((request) => item(request, 'approve')),
    })
    await db.destroy()
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(['approved']))
    expect(textsOf(queries).match(/\bcommit\b/g)).toHaveLength(1)
    for (const { id } of requests) {
      expect(await auditTypes(id)).toEqual(['request.opened', 'decision.recorded', 'permit.issued'])
    }
    const { pending } = await database.db
      .selectFrom('run')
      .select('pending_requests as pending')
      .where('id', '=', run.id)
      .executeTakeFirstOrThrow()
    expect(pending).toBe(0)
  })

  test('of one run are decided individually when one of them cannot be written, and again under the same key', async () => {
    const [first, broken, last] = (await waiting(3)) as [TestRequest, TestRequest, TestRequest]
    await sql
      .raw(
        `create function refuse_permit() returns trigger language plpgsql as $$
         begin raise exception 'no room'; end $$;
         create trigger refuse_permit before insert on permit for each row
         when (new.request_id = '${broken.id}') execute function refuse_permit()`,
      )
      .execute(database.db)
    const decisions = [first, broken, last].map((request) => item(request, 'approve'))
    const input = { decisions, idempotencyKey: 'group-1' }
    await expect(decideMany(service.ctx, grace.caller, input)).rejects.toThrow('no room')
    expect(await states(first, broken, last)).toEqual(['approved', 'pending', 'pending'])
    await sql.raw('drop function refuse_permit() cascade').execute(database.db)
    const { items } = await decideMany(service.ctx, grace.caller, input)
    expect(items.map(({ state }) => state)).toEqual(['approved', 'approved', 'approved'])
    expect(await auditTypes(first.id)).toEqual([
      'request.opened',
      'decision.recorded',
      'permit.issued',
    ])
  })

  test('of several runs are one transaction; when one cannot be written, each run has its own, and the other runs are decided', async () => {
    const other = await addRun(service, { startedBy: ada })
    const third = await addRun(service, { startedBy: ada })
    const [a, b] = (await waiting(2)) as [TestRequest, TestRequest]
    const c = await addRequest(service, other, { position: 1 })
    const d = await addRequest(service, other, { position: 2 })
    const broken = await addRequest(service, third, { position: 1 })
    const unwritable = sql.raw(
      `create function refuse_permit() returns trigger language plpgsql as $$
       begin raise exception 'no room'; end $$;
       create trigger refuse_permit before insert on permit for each row
       when (new.request_id = '${broken.id}') execute function refuse_permit()`,
    )
    await unwritable.execute(database.db)
    const listed = [broken, a, c, b, d]
    const decisions = listed.map((request) => item(request, 'approve'))
    const input = { decisions, idempotencyKey: 'runs-1' }
    const queries: LoggedQuery[] = []
    const db = withQueryLog(database.url, queries)
    await expect(decideMany({ ...service.ctx, db }, grace.caller, input)).rejects.toThrow('no room')
    await db.destroy()
    // The batch and two runs commit; the common transaction and that of the third run do not.
    expect(textsOf(queries).match(/\bcommit\b/g)).toHaveLength(3)
    expect(await states(...listed)).toEqual(['pending', ...Array(4).fill('approved')])
    await sql.raw('drop function refuse_permit() cascade').execute(database.db)
    const { items } = await decideMany(service.ctx, grace.caller, input)
    expect(items.map(({ requestId, state }) => [requestId, state])).toEqual(
      listed.map(({ id }) => [id, 'approved']),
    )
    for (const { id } of listed) {
      expect(await auditTypes(id)).toEqual(['request.opened', 'decision.recorded', 'permit.issued'])
    }
  })

  test('of sixty runs, each the parent of the next, take two commits, and a refused one does not affect the others', async () => {
    const root = await addRun(service, { startedBy: ada })
    const requests: TestRequest[] = []
    for (let index = 0; index < 60; index += 1) {
      const above = index % 3 === 0 ? {} : { parent: root }
      const startedBy = index === 40 ? grace : ada
      const own = await addRun(service, { startedBy, ...(index === 40 ? {} : above) })
      requests.push(await addRequest(service, own))
    }
    const stale = { digest: requests[1]!.digest.replace(/.$/, 'x') }
    const decisions = requests.map((request, index) =>
      item(request, 'approve', index === 7 ? stale : {}),
    )
    const queries: LoggedQuery[] = []
    const db = withQueryLog(database.url, queries)
    const { items } = await decideMany({ ...service.ctx, db }, grace.caller, { decisions })
    await db.destroy()
    const refused = new Map([
      [7, 'stale_digest'],
      [40, 'not_eligible'],
    ])
    expect(items.map((one) => one.code ?? one.state)).toEqual(
      requests.map((_, index) => refused.get(index) ?? 'approved'),
    )
    expect(await states(...requests)).toEqual(
      requests.map((_, index) => (refused.has(index) ? 'pending' : 'approved')),
    )
    const texts = textsOf(queries)
    const written = queries.filter(({ sql: text }) => text.includes('insert into decision'))
    expect(written, texts).toHaveLength(2)
  })

  test('of one run lock the runs above it, from the root down, before any request', async () => {
    const below = await addRun(service, { startedBy: ada, parent: run })
    const request = await addRequest(service, below)
    const other = await addRequest(service, await addRun(service, { startedBy: ada }))
    const decisions = [request, other].map((one) => item(one, 'approve'))
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = database.db.transaction().execute(async (tx) => {
      await lockRun(tx, run.id)
      locked.resolve()
      await held
    })
    await locked.promise
    const deciding = decideMany(service.ctx, grace.caller, { decisions })
    await waitUntil(async () => {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
      return rows[0]?.waiting === 1
    })
    // Neither request is locked while the transaction waits for a run.
    const { rows } = await sql<{ id: string }>`
      select id from request where id in (${request.id}, ${other.id}) for update skip locked
    `.execute(database.db)
    expect(rows).toHaveLength(2)
    release()
    await holding
    expect((await deciding).items.map(({ state }) => state)).toEqual(['approved', 'approved'])
  })

  test('that several people make at once are recorded once each, whoever is first', async () => {
    const requests = await waiting(10)
    const decisions = requests.map((request) => item(request, 'approve'))
    const answers = await Promise.all([
      decideMany(service.ctx, grace.caller, { decisions, idempotencyKey: 'race' }),
      decideMany(service.ctx, grace.caller, { decisions, idempotencyKey: 'race' }),
      decideMany(service.ctx, linus.caller, { decisions: decisions.toReversed() }),
    ])
    const [mine, repeated, theirs] = answers.map(({ items }) => items)
    expect(repeated).toEqual(mine)
    for (const { id } of requests) {
      const of = (items = mine) => items?.find(({ requestId }) => requestId === id)
      expect(new Set([of()?.status, of(theirs)?.status])).toEqual(new Set([200, 409]))
      const types = (await auditTypes(id)).filter((type) => type !== 'decision.refused')
      expect(types).toEqual(['request.opened', 'decision.recorded', 'permit.issued'])
    }
  })
})

test('a repeated call with its key gets the original results, and the same key with other items is refused', async () => {
  const request = await addRequest(service, run)
  const decisions = [item(request, 'approve')]
  const input = { decisions, idempotencyKey: 'bulk-1' }
  const first = await decideMany(service.ctx, grace.caller, input)
  expect(await decideMany(service.ctx, grace.caller, input)).toEqual(first)
  const other = decideMany(service.ctx, grace.caller, {
    decisions: [item(request, 'deny')],
    idempotencyKey: 'bulk-1',
  })
  expect((await refusal(other)).code).toBe('idempotency_key_reused')
})

test('an empty list, more than 200 items, and malformed items are refused', async () => {
  const request = await addRequest(service, run)
  for (const decisions of [
    [],
    Array.from({ length: 201 }, () => item(request, 'deny')),
    ['approve'],
    [{ decision: 'approve' }],
  ]) {
    const attempt = decideMany(service.ctx, grace.caller, { decisions })
    expect((await refusal(attempt)).code).toBe('invalid_request')
  }
})
