import { expect, test } from 'vitest'
import { addRequest, addRun, type TestRequest } from '../../../test/harness/fixtures/gated-run.ts'
import { refusal } from '../../../test/harness/fixtures/refusal.ts'
import { decideMany } from './decide-many.ts'
import { database, grace, run, service, useDecisionDesk } from './decisions.fixture.ts'

useDecisionDesk()

function item(request: TestRequest, decision: 'approve' | 'deny', more = {}) {
  return { requestId: request.id, decision, digest: request.digest, revision: 1, ...more }
}

// Rules: product.md 15
test('alike approvals are decided each on its own, with one batch id on every decision', async () => {
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
  const rows = await database.db
    .selectFrom('decision')
    .select('batch_decision_id')
    .where('batch_decision_id', '=', answer.batchDecisionId)
    .execute()
  expect(rows).toHaveLength(3)
})

test('approvals of another tool or rule, and of high risk, get not_alike and nothing else of theirs changes', async () => {
  const alike = await addRequest(service, run)
  const tool = await addRequest(service, run, { position: 2, tool: 'delete_file' })
  const rule = await addRequest(service, run, { position: 3, ruleId: 'overlay:1' })
  const high = await addRequest(service, run, { position: 4, risk: 'high' })
  const seen = { reason: 'read', seen: high.presentationDigest }
  const { items } = await decideMany(service.ctx, grace.caller, {
    decisions: [
      item(alike, 'approve'),
      item(tool, 'approve'),
      item(rule, 'approve'),
      item(high, 'approve', seen),
    ],
  })
  expect(items.map((one) => one.code ?? one.state)).toEqual([
    'approved',
    'not_alike',
    'not_alike',
    'not_alike',
  ])
  const rows = await database.db
    .selectFrom('request')
    .select('state')
    .where('id', 'in', [tool.id, rule.id, high.id])
    .execute()
  expect(rows.map((row) => row.state)).toEqual(['pending', 'pending', 'pending'])
})

test('one approval among denials needs no like, and denying many unlike requests is always allowed', async () => {
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
test('each item is refused for its own reason while the others are decided', async () => {
  const good = await addRequest(service, run)
  const own = await addRequest(service, await addRun(service, { startedBy: grace }))
  const stale = await addRequest(service, run, { position: 2 })
  const { items } = await decideMany(service.ctx, grace.caller, {
    decisions: [
      item(good, 'approve'),
      item(own, 'approve'),
      item(stale, 'approve', { revision: 9 }),
      { requestId: '424242', decision: 'approve', digest: good.digest, revision: 1 },
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

test('a repeated call with its key gets the original answers, and the same key with other items is refused', async () => {
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

test('no item, more than 200, and items that are none are refused', async () => {
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
