import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import type { Json } from '#domain/json/json.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { listRequests } from '../../requests/lists/list-requests.ts'
import { reviseRequest } from '../../revising/revise-request.ts'
import { commentRequest } from '../../requests/comment-request.ts'
import { getRequest } from '../../requests/detail/get-request.ts'
import { waitForStage } from '../../requests/detail/wait-for-stage.ts'
import { clearTranscript } from '../../retention/clear-transcript.ts'
import { forkRun } from '../../runs/forking/fork-run.ts'
import { getRun } from '../../runs/reading/get-run.ts'
import { revokePermit } from '../../permits/revoke-permit.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { bySystem, executor } from '../../core/authority.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { CallAtHand } from '../attempts/call-at-hand.ts'
import { admitRun } from '../lifecycle/admit-run.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { spendAttachments } from './open-child-run.ts'
import type { DelegationPlan } from './plan-delegation.ts'
import {
  desk,
  useDelegationDesk,
  toReviewer,
  delegating,
  waitedFor,
  row,
  requestsOf,
} from './delegation.fixture.ts'

useDelegationDesk()

/** What the requests say of their execution. */
function executionsOf(requests: readonly ({ readonly id: string } | undefined)[]) {
  const { caller } = desk.people.grace
  return Promise.all(
    requests.map(async (one) => {
      const { execution } = await getRequest(desk.api, caller, { request: one?.id ?? '' })
      return execution
    }),
  )
}

/** The stage of the only decision about a request. */
async function stageOf(requestId = '') {
  const { db } = desk.database
  const { id: decisionId } = await rowOf(db, 'decision', { request_id: requestId }, 'id')
  return waitForStage(desk.api, { decisionId, withinMs: 0 })
}

// Rules: product.md 23
describe('attachments', () => {
  const attached = toReviewer({ attachments: ['notes/1.md', 'notes/2.md', 'readme.md'] })

  test('are shown with size and hash; those in a zone that asks have a request of their own in the batch', async () => {
    const { callId, requestId } = await delegating(attached)
    const requests = await requestsOf(callId)
    expect(requests.map(({ kind, title }) => [kind, title])).toEqual([
      ['tool_call', 'Call worker reviewer: Review it'],
      ['attachment', 'Share notes/1.md with reviewer (4 bytes)'],
      ['attachment', 'Share notes/2.md with reviewer (4 bytes)'],
    ])
    const { presentation } = await getRequest(desk.api, desk.people.grace.caller, {
      request: requestId,
    })
    expect(presentation.metadata['attachments']).toEqual([
      { path: 'notes/1.md', bytes: 4, hash: hashBytes('one\n') },
      { path: 'notes/2.md', bytes: 4, hash: hashBytes('two\n') },
      { path: 'readme.md', bytes: 7, hash: hashBytes('readme\n') },
    ])
  })

  test('whose permit was revoked meanwhile are not spent', async () => {
    const { callId, runId } = await delegating(attached)
    const [, first] = await requestsOf(callId)
    await desk.decide(desk.people.grace, first?.id ?? '')
    const { db } = desk.database
    const of = { request_id: first?.id ?? '' }
    const { id } = await rowOf(db, 'permit', of, 'id')
    const request = await rowOf(db, 'request', { id: of.request_id }, 'digest', 'policy_digest')
    await setRows(db, 'permit', of, { state: 'revoked' })
    const { digest, policy_digest: policyDigest } = request
    const permits = [{ permitId: id, requestId: of.request_id, digest, policyDigest }]
    const at = { run: { id: runId }, call: { id: callId } } as CallAtHand
    const spending = inUnitOfWork(desk.api, bySystem(desk.api, executor), (unit) =>
      spendAttachments(unit, executor, at, { permits } as unknown as DelegationPlan),
    )
    await expect(spending).rejects.toThrow(`Permit ${id} is not live`)
    expect(await rowOf(db, 'permit', of, 'state')).toEqual({ state: 'revoked' })
  })

  test('must all be approved: the delegation runs once its own request and each of theirs are approved', async () => {
    const { callId } = await delegating(attached)
    const [own, first, second] = await requestsOf(callId)
    const { grace } = desk.people
    await desk.decide(grace, own?.id ?? '')
    expect(await desk.execute(callId)).toMatchObject({
      kind: 'wait',
      requestIds: [first?.id, second?.id],
    })
    await desk.decide(grace, first?.id ?? '')
    expect(await desk.execute(callId)).toMatchObject({ kind: 'wait', requestIds: [second?.id] })
    await desk.decide(grace, second?.id ?? '')
    const childId = waitedFor(await desk.execute(callId))
    // A file is handed over with the start of its call.
    expect(await executionsOf([own, first, second])).toMatchObject(
      ['started', 'succeeded', 'succeeded'].map((state) => ({ state, attempt: 1 })),
    )
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    const permits = await rowsOf(
      desk.database.db,
      'permit',
      { run_id: (await row(childId)).parent_run_id },
      'state',
    )
    expect(permits.map(({ state }) => state)).toEqual(['consumed', 'consumed', 'consumed'])
    desk.say({ text: 'Read.' })
    await desk.turn(childId, 1)
    const [message] = desk.modelRequests.at(-1)?.messages ?? []
    expect(message?.role === 'user' ? message.text : '').toContain(JSON.stringify('two\n'))
    const child = await getRun(desk.api, desk.people.ada.caller, childId)
    expect(child.attachments.map(({ path, given }) => [path, given])).toEqual([
      ['notes/1.md', true],
      ['notes/2.md', true],
      ['readme.md', true],
    ])
  })

  // Rules: product.md 29
  test('are missing from a task that retention removed: it starts again only with a text', async () => {
    const { runId, callId } = await delegating(attached)
    const { ada, grace } = desk.people
    for (const { id } of await requestsOf(callId)) await desk.decide(grace, id)
    const childId = waitedFor(await desk.execute(callId))
    await admitRun(desk.api, { runId: childId })
    await cancelRun(desk.api, ada.caller, { runId })
    const cleared = { runId: childId, rule: 'test', olderThanMs: 0 }
    expect(await clearTranscript(desk.api, cleared)).not.toBeNull()
    const again = { runId: childId, afterTurn: 0 }
    const refused = await refusal(forkRun(desk.api, ada.caller, again))
    expect(refused).toMatchObject({ code: 'invalid_request', facts: { field: 'text' } })
    const fork = await forkRun(desk.api, ada.caller, { ...again, text: 'Review nothing' })
    await cancelRun(desk.api, ada.caller, { runId: fork.id })
  })

  test('are carried out once they were handed over, however the run that got them ends', async () => {
    const { runId, callId } = await delegating(attached)
    const requests = await requestsOf(callId)
    const { ada, grace } = desk.people
    for (const { id } of requests) await desk.decide(grace, id)
    const childId = waitedFor(await desk.execute(callId))
    expect(await stageOf(requests[1]?.id)).toMatchObject({ stage: 'succeeded', final: true })
    await admitRun(desk.api, { runId: childId })
    await cancelRun(desk.api, ada.caller, { runId: childId })
    await desk.execute(callId)
    const [own, ...files] = await executionsOf(requests)
    expect(own).toMatchObject({ state: 'failed', executedDigest: requests[0]?.digest })
    for (const file of files) {
      expect(file).toEqual({
        state: 'succeeded',
        attempt: 1,
        startedAt: own?.startedAt,
        finishedAt: own?.startedAt,
      })
    }
    const { items } = await listRequests(desk.api, grace.caller, { runId, effect: 'failed' })
    expect(items.map(({ id }) => id)).toEqual([requests[0]?.id])
  })

  test('that are denied abort the delegation: pending requests leave the queue, and approved ones lose their permit', async () => {
    const { runId, callId } = await delegating(attached)
    const [own, first, second] = await requestsOf(callId)
    const { grace } = desk.people
    await desk.decide(grace, own?.id ?? '')
    await desk.decide(grace, first?.id ?? '', { decision: 'deny', reason: 'not that one' })
    const after = await requestsOf(callId)
    expect(after.map(({ state }) => state)).toEqual(['approved', 'denied', 'cancelled'])
    expect(after[2]?.cancel_reason).toBe('delegation_denied')
    expect((await refusal(desk.decide(grace, second?.id ?? ''))).code).toBe('cancelled')
    expect(await desk.execute(callId)).toEqual({ kind: 'done' })
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('denied')
    expect(call?.text).toContain('not that one')
    expect(await row(runId)).toMatchObject({ pending_requests: 0 })
    const permits = await rowsOf(desk.database.db, 'permit', { run_id: runId }, 'state')
    expect(permits.map(({ state }) => state)).toEqual(['revoked'])
  })

  // Rules: product.md 14, 23
  test.each([
    ['the call', 0, ['approved', 'cancelled', 'cancelled']],
    ['a file', 1, ['cancelled', 'approved', 'cancelled']],
  ])(
    'wait for nobody once the approval of %s was revoked: the others leave the queue, and the model gets “cancelled”',
    async (_, index, states) => {
      const { runId, callId } = await delegating(attached)
      const request = (await requestsOf(callId))[index]?.id ?? ''
      const { grace } = desk.people
      await desk.decide(grace, request)
      await revokePermit(desk.api, grace.caller, { request, reason: 'not this week' })
      const after = await requestsOf(callId)
      expect(after.map(({ state }) => state)).toEqual(states)
      for (const other of after.filter(({ state }) => state === 'cancelled')) {
        expect(await refusal(desk.decide(grace, other.id))).toMatchObject({
          code: 'cancelled',
          status: 410,
          facts: { cancelReason: 'delegation_revoked' },
        })
      }
      expect(await desk.execute(callId)).toEqual({ kind: 'done' })
      const [call] = await desk.calls(runId, 1)
      expect(call?.result).toBe('cancelled')
      expect(call?.text).toContain('an approval that it needs was revoked')
      expect(await row(runId)).toMatchObject({ pending_requests: 0 })
    },
  )

  test('that are all approved are handed over to nobody once the approval of one was revoked', async () => {
    const { runId, callId } = await delegating(attached)
    const requests = await requestsOf(callId)
    const { grace } = desk.people
    for (const { id } of requests) await desk.decide(grace, id)
    await revokePermit(desk.api, grace.caller, { request: requests[1]?.id ?? '', reason: 'no' })
    const permits = await rowsOf(desk.database.db, 'permit', { run_id: runId }, 'state')
    expect(permits.map(({ state }) => state)).toEqual(['revoked', 'revoked', 'revoked'])
    expect(await desk.execute(callId)).toEqual({ kind: 'done' })
    expect((await desk.calls(runId, 1))[0]?.result).toBe('cancelled')
  })

  // Rules: product.md 41
  test('that are denied before the call itself was decided give the model the reason and the remarks on lines, with the tool and the file', async () => {
    const { runId, callId } = await delegating(attached)
    const [, first] = await requestsOf(callId)
    const { grace } = desk.people
    const request = first?.id ?? ''
    const remark = (line: number) =>
      commentRequest(desk.api, grace.caller, {
        request,
        text: 'our prices',
        anchor: { file: 'notes/1.md', side: 'new', line },
      })
    await remark(1)
    expect((await refusal(remark(2))).facts['field']).toBe('anchor.line')
    await desk.decide(grace, first?.id ?? '', { decision: 'deny', reason: 'not "that" one' })
    expect(await desk.execute(callId)).toEqual({ kind: 'done' })
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('denied')
    expect(call?.text).toContain('call_worker')
    expect(call?.text).toContain(JSON.stringify('Share notes/1.md with reviewer (4 bytes)'))
    expect(call?.text).toContain(JSON.stringify('not "that" one'))
    expect(call?.text).toContain('"notes/1.md", new line 1: "our prices"')
  })

  test('that nobody decides in time make the whole delegation expire', async () => {
    const { runId, callId } = await delegating(attached)
    const [own, first] = await requestsOf(callId)
    await desk.decide(desk.people.grace, own?.id ?? '')
    await setRows(desk.database.db, 'request', { id: first?.id ?? '' }, { expires_at: new Date(0) })
    expect(await desk.execute(callId)).toEqual({ kind: 'done' })
    expect((await desk.calls(runId, 1))[0]?.result).toBe('expired')
    const states = (await requestsOf(callId)).map(({ state }) => state)
    expect(states).toEqual(['approved', 'expired', 'cancelled'])
  })

  test('whose share is blocked block the delegation, and nobody is asked', async () => {
    const { runId, requestId } = await delegating(toReviewer({ attachments: ['kept/1.md'] }))
    expect([(await desk.calls(runId, 1))[0]?.result, requestId]).toEqual(['blocked', ''])
  })

  // Rules: product.md 14, 23
  test('that changed since they were shown are asked about again, each with its new hash and the request that it replaces', async () => {
    const { callId } = await delegating(attached)
    const before = await requestsOf(callId)
    for (const request of before) await desk.decide(desk.people.grace, request.id)
    await desk.write('notes/1.md', 'changed\n')
    const outcome = await desk.execute(callId)
    await desk.write('notes/1.md', 'one\n')
    const requests = await requestsOf(callId)
    expect(outcome).toMatchObject({
      kind: 'wait',
      requestIds: requests.filter(({ state }) => state === 'pending').map(({ id }) => id),
    })
    expect(requests.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'tool_call approved',
      'attachment approved',
      'attachment approved',
      'tool_call pending',
      'attachment pending',
      'attachment pending',
    ])
    expect(requests[4]?.title).toContain('(8 bytes)')
    const [old, renewed] = [requests.slice(0, 3), requests.slice(3)]
    expect(old.map((one) => one.superseded_by)).toEqual(renewed.map(({ id }) => id))
    expect(renewed.map((one) => one.previous)).toEqual(old.map(({ id }) => [id]))
    expect(await executionsOf(old)).toMatchObject(
      old.map(() => ({ state: 'refused', reason: 'stale' })),
    )
  })

  // Rules: product.md 14, 15
  test('that assumed an earlier call which is denied are refused as stale in each answer', async () => {
    const write = { tool: 'write_file', input: { path: 'notes/1.md', content: 'other\n' } }
    desk.say({ calls: [write, toReviewer({ attachments: ['notes/1.md'] })] })
    const { ada, grace } = desk.people
    const { id: runId } = await startRun(desk.api, ada.caller, { worker: 'scribe', input: 'Go' })
    await desk.turn(runId, 1)
    const [first, second] = await desk.calls(runId, 1)
    const [, file] = await requestsOf(second?.id ?? '')
    await desk.decide(grace, file?.id ?? '')
    await desk.decide(grace, first?.requestId ?? '', { decision: 'deny' })
    expect(await desk.execute(first?.id ?? '')).toEqual({ kind: 'done' })
    const [, old, , renewed] = await requestsOf(second?.id ?? '')
    expect([old?.state, old?.superseded_by]).toEqual(['approved', renewed?.id])
    const execution = { state: 'refused', reason: 'stale' }
    expect(await executionsOf([file])).toEqual([execution])
    expect(await stageOf(file?.id)).toEqual({ stage: 'refused', execution, final: true })
  })

  // Rules: product.md 14, 23
  test('that go stale a second time name both earlier requests, the newer first', async () => {
    const { callId } = await delegating(attached)
    for (const content of ['first change\n', 'second change\n']) {
      for (const { id, state } of await requestsOf(callId)) {
        if (state === 'pending') await desk.decide(desk.people.grace, id)
      }
      await desk.write('notes/1.md', content)
      expect((await desk.execute(callId)).kind).toBe('wait')
    }
    await desk.write('notes/1.md', 'one\n')
    const [, first, , , second, , , third] = await requestsOf(callId)
    expect(third?.previous).toEqual([second?.id, first?.id])
    expect([first?.superseded_by, second?.superseded_by]).toEqual([second?.id, third?.id])
  })

  test('approved by a changed row alone hand over nothing', async () => {
    const { runId, callId } = await delegating(attached)
    const [own, first, second] = await requestsOf(callId)
    await desk.decide(desk.people.grace, own?.id ?? '')
    await desk.decide(desk.people.grace, first?.id ?? '')
    await sql`update request set state = 'approved' where id = ${second?.id}`.execute(
      desk.database.db,
    )
    const outcome = await desk.execute(callId)
    expect(outcome.kind).toBe('wait')
    const children = await getRun(desk.api, desk.people.ada.caller, runId)
    expect(children.children).toEqual([])
  })

  test('that would make more than a hundred requests of the run wait are refused, together with their call only', async () => {
    const notes = Array.from({ length: 50 }, (_, index) => `notes/of-${index}.md`)
    for (const path of notes) await desk.write(path, 'x\n')
    const many = toReviewer({ attachments: notes })
    desk.say({ calls: [many, toReviewer({ attachments: ['notes/1.md'] }), many, attached] })
    const { id: runId } = await startRun(desk.api, desk.people.ada.caller, {
      worker: 'scribe',
      input: 'Go',
    })
    await desk.turn(runId, 1)
    const calls = await desk.calls(runId, 1)
    expect(calls.map(({ requestId }) => requestId !== '')).toEqual([true, true, false, true])
    expect(calls[2]?.text).toContain('At most 100 requests of a run can be pending')
    expect((await getRun(desk.api, desk.people.ada.caller, runId)).pendingRequests).toBe(56)
  })

  test('and the worker stay as they were shown: an edit may change only the task', async () => {
    const { requestId } = await delegating(attached)
    const { digest } = await rowOf(desk.database.db, 'request', { id: requestId })
    const editing = (input: { readonly [field: string]: Json }) =>
      reviseRequest(desk.api, desk.people.grace.caller, {
        request: requestId,
        input: { ...attached.input, ...input },
        digest,
        revision: 1,
      })
    for (const input of [{ worker: 'circle' }, { attachments: ['readme.md'] }]) {
      expect((await refusal(editing(input))).code).toBe('invalid_request')
    }
    expect(await editing({ input: 'Review only the first' })).toMatchObject({ revision: 2 })
  })
})
