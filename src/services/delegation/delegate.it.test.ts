import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  deskConfig,
  openAgentDesk,
  type AgentDesk,
} from '../../../test/harness/fixtures/agent-desk.ts'
import { refusal } from '../../../test/harness/fixtures/refusal.ts'
import type { Json } from '../../domain/json.ts'
import { canonicalJson, hashBytes } from '../../domain/digest.ts'
import type { CallOutcome } from '../../domain/workflow-outcomes.ts'
import { stillRuns } from '../../delivery/still-runs.ts'
import { reviseRequest } from '../decisions/revising/revise-request.ts'
import { settleUnknown } from '../executions/settle-unknown.ts'
import { getRequest } from '../requests/get-request.ts'
import { cancelRun } from '../runs/ending/cancel-run.ts'
import { closeRun } from '../runs/ending/close-run.ts'
import { getRun } from '../runs/get-run.ts'
import { messageRun } from '../runs/message-run.ts'
import { startRun } from '../runs/start-run.ts'
import { readTranscript } from '../runs/transcript/transcript.ts'
import { admitRun } from './admit-run.ts'

let desk: AgentDesk

const zones = `zones:
  - { name: repo, root: ., mode: ro, approval: { read: preApproved, share: preApproved } }
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md], approval: { read: preApproved, write: ask, share: ask } }
  - { name: kept, root: ./kept, mode: rw, approval: { read: preApproved, write: blocked, share: blocked } }
  - { name: scratch, root: ./scratch, mode: rw, approval: { write: preApproved } }`
const wide = `zones:
  - { name: all, root: ., mode: rw, approval: { read: preApproved, write: preApproved, delete: preApproved } }`

function worker(name: string, front: string): string {
  return `---\nname: ${name}\ndescription: The ${name}\nmodel: openai-compatible:scripted-by-the-test\n${front}\n---\nWork.\n`
}

const files = {
  'countersign.yaml': deskConfig,
  'workers/scribe.md': worker('scribe', `workers: [reviewer, picky, circle]\n${zones}`),
  'workers/reviewer.md': worker('reviewer', wide),
  'workers/picky.md': worker('picky', `startableBy: [operators]\n${wide}`),
  'workers/circle.md': worker('circle', `workers: [scribe, circle]\n${zones}`),
}

beforeAll(async () => {
  desk = await openAgentDesk()
  await desk.activate(files)
  await desk.write('notes/1.md', 'one\n')
  await desk.write('notes/2.md', 'two\n')
  await desk.write('readme.md', 'readme\n')
  await desk.write('kept/1.md', 'kept\n')
})
afterAll(() => desk[Symbol.asyncDispose]())
beforeEach(() => {
  desk.steps.length = 0
  desk.executed.length = 0
})

function toReviewer(more: { readonly [field: string]: Json } = {}) {
  return { tool: 'call_worker', input: { worker: 'reviewer', input: 'Review it', ...more } }
}

interface Asked {
  readonly runId: string
  readonly callId: string
  readonly requestId: string
  readonly outcome: Awaited<ReturnType<AgentDesk['turn']>>
}

/** A run whose first turn delegates; nothing is decided yet. */
async function delegating(call = toReviewer(), mode?: 'strict' | 'approve_all'): Promise<Asked> {
  desk.say({ text: 'I ask the reviewer.', calls: [call] })
  const starter = mode === 'approve_all' ? desk.people.olga : desk.people.ada
  const asking = { worker: 'scribe', input: 'Go', ...(mode === undefined ? {} : { mode }) }
  const { id: runId } = await startRun(desk.api, starter.caller, asking)
  const outcome = await desk.turn(runId, 1)
  const [made] = await desk.calls(runId, 1)
  return { runId, callId: made?.id ?? '', requestId: made?.requestId ?? '', outcome }
}

/** The same, approved by Grace and claimed: the child is there, not signed yet. */
async function delegated(call = toReviewer()): Promise<Asked & { readonly childId: string }> {
  const asked = await delegating(call)
  await desk.decide(desk.people.grace, asked.requestId)
  return { ...asked, childId: waitedFor(await desk.execute(asked.callId)) }
}

function waitedFor(outcome: CallOutcome): string {
  if (outcome.kind !== 'wait') expect.fail(`the call is ${outcome.kind}`)
  return outcome.requestIds[0] ?? ''
}

async function row(runId: string) {
  return desk.database.db
    .selectFrom('run')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
}

async function requestsOf(callId: string) {
  return desk.database.db
    .selectFrom('request')
    .selectAll()
    .where('call_id', '=', callId)
    .orderBy('id')
    .execute()
}

async function outbox(runId: string): Promise<string[]> {
  const rows = await desk.database.db
    .selectFrom('outbox')
    .select('kind')
    .where('run_id', '=', runId)
    .orderBy('id')
    .execute()
  return rows.map(({ kind }) => kind)
}

/** Lets a child say its last words and closes it. */
async function finish(childId: string, text = 'Looks fine.'): Promise<void> {
  desk.say({ text })
  expect(await desk.turn(childId, 1)).toEqual({ kind: 'finished' })
  expect(await closeRun(desk.api, { runId: childId })).toEqual({ kind: 'closed' })
}

describe('a delegation', () => {
  test('asks, and shows the target, the input and no attachment', async () => {
    const { requestId } = await delegating()
    const request = await desk.database.db
      .selectFrom('request')
      .selectAll()
      .where('id', '=', requestId)
      .executeTakeFirstOrThrow()
    expect(request).toMatchObject({ kind: 'tool_call', tool: 'call_worker', risk: 'medium' })
    expect(request.title).toBe('Call worker reviewer: Review it')
  })

  // Rules: product.md 23; security.md 13
  test('approved writes the child unsigned with its claim, and the relay signs it once', async () => {
    const { runId, callId, childId } = await delegated()
    expect(await row(childId)).toMatchObject({
      parent_run_id: runId,
      parent_call_id: callId,
      root_run_id: runId,
      signature: '',
      mode: 'prompt',
      started_by: desk.people.ada.id,
    })
    expect(await outbox(childId)).toEqual(['start_run'])
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    const { signature } = await row(childId)
    expect(signature).not.toBe('')
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    expect((await row(childId)).signature).toBe(signature)
    expect((await desk.auditTypes(childId)).filter((type) => type === 'run.started')).toHaveLength(
      1,
    )
  })

  test('comes back with the last words of the child as its result, once it has ended', async () => {
    const { runId, callId, childId, outcome } = await delegated()
    await admitRun(desk.api, { runId: childId })
    expect(waitedFor(await desk.execute(callId))).toBe(childId)
    await finish(childId, 'Two "typos".')
    expect(await outbox(runId)).toContain('signal_child_ended')
    expect(await desk.perform(outcome)).toEqual([{ kind: 'done' }])
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('output')
    expect(call?.text).toContain(JSON.stringify('Two "typos".'))
    const events = await desk.auditTypes(runId)
    expect(events.filter((type) => type === 'execution.finished')).toHaveLength(1)
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'finished' })
  })

  test('is claimed and finished once, however often and by however many it is asked for', async () => {
    const asked = await delegating()
    await desk.decide(desk.people.grace, asked.requestId)
    const claims = await Promise.all([1, 2, 3, 4].map(() => desk.execute(asked.callId)))
    const [childId] = new Set(claims.map(waitedFor))
    const children = await desk.database.db
      .selectFrom('run')
      .select('id')
      .where('parent_run_id', '=', asked.runId)
      .execute()
    expect(children.map(({ id }) => id)).toEqual([childId])
    await Promise.all([1, 2, 3].map(() => admitRun(desk.api, { runId: childId ?? '' })))
    desk.say({ text: 'Done.' })
    await desk.turn(childId ?? '', 1)
    await Promise.all([1, 2].map(() => closeRun(desk.api, { runId: childId ?? '' })))
    const wakes = await outbox(asked.runId)
    expect(wakes.filter((kind) => kind === 'signal_child_ended')).toHaveLength(1)
    await Promise.all([1, 2, 3].map(() => desk.execute(asked.callId)))
    const events = await desk.auditTypes(asked.runId)
    expect(events.filter((type) => type === 'execution.finished')).toHaveLength(1)
  })

  test('whose activity was lost waits for its child, and no person is asked what became of it', async () => {
    const { callId, childId } = await delegated()
    expect(waitedFor((await settleUnknown(desk.worker, { callId })) as CallOutcome)).toBe(childId)
    const kinds = (await requestsOf(callId)).map((request) => request.kind)
    expect(kinds).toEqual(['tool_call'])
  })

  test('is seen from both ends: children, lineage and the call that waits', async () => {
    const { runId, callId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const { ada } = desk.people
    const parent = await getRun(desk.api, ada.caller, runId)
    expect(parent.children).toEqual([
      { runId: childId, worker: 'reviewer', state: 'running', callId },
    ])
    const child = await getRun(desk.api, ada.caller, childId)
    expect(child.lineage.map((entry) => entry.runId)).toEqual([runId, childId])
    const items = await readTranscript(desk.api, ada.caller, runId)
    expect(items.flatMap((item) => item.calls)[0]?.childRunId).toBe(childId)
  })

  test('keeps the parent waiting while the child waits for input, and the reconciler leaves it alone', async () => {
    const { runId, callId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    await desk.database.db
      .updateTable('run')
      .set({ state: 'waiting_for_input' })
      .where('id', '=', childId)
      .execute()
    expect(waitedFor(await desk.execute(callId))).toBe(childId)
    await desk.database.db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
    const still = await stillRuns(desk.database.db, { seconds: 0, most: 1000 })
    expect(still.map(({ id }) => id)).not.toContain(runId)
    await messageRun(desk.api, desk.people.ada.caller, { runId: childId, text: 'Go on.' })
    await desk.database.db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
    await finish(childId)
    await desk.database.db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
    const woken = await stillRuns(desk.database.db, { seconds: 0, most: 1000 })
    expect(woken.map(({ id }) => id)).toContain(runId)
  })
})

describe('the end of one of them', () => {
  test('cancelling the parent cancels the child, and the call has a result', async () => {
    const { runId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect((await row(childId)).state).toBe('cancelled')
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('cancelled')
    const attempt = await desk.database.db
      .selectFrom('execution')
      .select(['state', 'reason'])
      .where('call_id', '=', call?.id ?? '')
      .executeTakeFirstOrThrow()
    expect(attempt).toEqual({ state: 'failed', reason: 'cancelled' })
    expect(await outbox(childId)).toContain('signal_cancelled')
  })

  test('cancelling the parent before its child was signed starts nothing', async () => {
    const { runId, childId } = await delegated()
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect(await admitRun(desk.api, { runId: childId })).toBe(false)
    expect((await row(childId)).signature).toBe('')
  })

  test('cancelling the child is the result of the call, with the reason as quoted data', async () => {
    const { runId, callId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const cancelling = { runId: childId, reason: 'not "now"' }
    await cancelRun(desk.api, desk.people.ada.caller, cancelling)
    expect(await outbox(runId)).toContain('signal_child_ended')
    await desk.execute(callId)
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('cancelled')
    expect(call?.text).toContain(JSON.stringify('not "now"'))
    expect((await row(runId)).state).toBe('running')
  })
})

describe('what may not be called', () => {
  test.each<[string, { readonly [field: string]: Json }, RegExp]>([
    ['a worker that is not on the list', { worker: 'nobody' }, /may not call the worker "nobody"/],
    ['an unknown field', { extra: true }, /extra/],
    ['a path outside', { attachments: ['../x'] }, /attachments/],
    ['one file twice', { attachments: ['notes/1.md', './notes/1.md'] }, /twice/],
    ['a file that is not there', { attachments: ['notes/none.md'] }, /does not exist/],
    ['a folder', { attachments: ['kept'] }, /directory/],
    ['a worker that the starter may not start', { worker: 'picky' }, /operators/],
  ])('%s', async (_title, more, reason) => {
    const { runId, requestId } = await delegating(toReviewer(more))
    const [call] = await desk.calls(runId, 1)
    expect([call?.result, requestId]).toEqual(['error', ''])
    expect(call?.text).toMatch(reason)
  })

  test('a worker at work above: a circle ends before anybody is asked', async () => {
    const { childId } = await delegated(toReviewer({ worker: 'circle' }))
    await admitRun(desk.api, { runId: childId })
    desk.say({ calls: [toReviewer({ worker: 'scribe' }), toReviewer({ worker: 'circle' })] })
    await desk.turn(childId, 1)
    const calls = await desk.calls(childId, 1)
    expect(calls.map((call) => call.result)).toEqual(['error', 'error'])
    expect(calls[0]?.text).toContain('circle')
  })

  test('a worker whose asks could reach nobody', async () => {
    const config = deskConfig.replace('linus@example.com]', 'linus@example.com]')
    const empty = `${config}routing: [{ when: { worker: reviewer }, queue: nobody }]\n`
      .replace('queues:', 'queues:\n  nobody: { team: nobody }')
      .replace('teams:', 'teams:\n  nobody: { members: [] }')
    await desk.activate({
      'countersign.yaml': empty,
      'workers/reviewer.md': worker('reviewer', zones),
    })
    const { runId } = await delegating()
    await desk.activate(files)
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('error')
    expect(call?.text).toContain('would reach nobody')
  })
})

describe('run modes', () => {
  test('strict denies a delegation; approve_all needs nobody, and both are inherited', async () => {
    const strict = await delegating(toReviewer(), 'strict')
    expect((await desk.calls(strict.runId, 1))[0]?.result).toBe('denied')
    const all = await delegating(toReviewer({ attachments: ['notes/1.md'] }), 'approve_all')
    const childId = waitedFor(await desk.execute(all.callId))
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    expect((await row(childId)).mode).toBe('approve_all')
  })

  test('approve_all written into a child of a run that did not have it: nothing of it executes', async () => {
    const { childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    await sql`update run set mode = 'approve_all' where id = ${childId}`.execute(desk.database.db)
    desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/x.md', content: 'x' } }] })
    await desk.perform(await desk.turn(childId, 1))
    const [call] = await desk.calls(childId, 1)
    expect(call?.result).toBe('error')
    expect(await desk.auditTypes(childId)).toContain('execution.refused')
    expect(desk.executed).toEqual([])
  })
})

// Rules: product.md 23
describe('capability', () => {
  async function inChild(tool: string, input: Json) {
    const { childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    desk.say({ calls: [{ tool, input }] })
    await desk.perform(await desk.turn(childId, 1))
    const [call] = await desk.calls(childId, 1)
    return call
  }

  test.each<[string, string, Json, string]>([
    [
      'a file that the parent may only read',
      'write_file',
      { path: 'readme.md', content: 'x' },
      'error',
    ],
    [
      'a suffix that the parent may not write',
      'write_file',
      { path: 'notes/a.txt', content: 'x' },
      'error',
    ],
    [
      'what is blocked for the parent',
      'write_file',
      { path: 'kept/1.md', content: 'x' },
      'blocked',
    ],
    ['what both may write', 'write_file', { path: 'notes/new.md', content: 'x' }, 'output'],
    ['what both may read', 'read_file', { path: 'readme.md' }, 'output'],
  ])('of a child is never wider than its parent’s: %s', async (_title, tool, input, result) => {
    expect((await inChild(tool, input))?.result).toBe(result)
  })

  test('is judged at every call: what the parent loses, its child loses at once', async () => {
    const { childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const aRead = { tool: 'read_file', input: { path: 'readme.md' } }
    desk.say({ calls: [aRead] }, { calls: [aRead] })
    await desk.perform(await desk.turn(childId, 1))
    const narrower = `workers: [reviewer]\nzones: [{ name: notes, root: ./notes, mode: ro }]`
    await desk.activate({ 'workers/scribe.md': worker('scribe', narrower) })
    await desk.perform(await desk.turn(childId, 2))
    await desk.activate(files)
    expect((await desk.calls(childId, 1))[0]?.result).toBe('output')
    expect((await desk.calls(childId, 2))[0]?.result).toBe('error')
  })

  test('of a child whose parent was rewritten to another run: the signatures do not hold', async () => {
    const { childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const other = await desk.start({ worker: 'reviewer' })
    await sql`update run set parent_run_id = ${other} where id = ${childId}`.execute(
      desk.database.db,
    )
    desk.say({ calls: [{ tool: 'read_file', input: { path: 'readme.md' } }] })
    await desk.perform(await desk.turn(childId, 1))
    expect((await desk.calls(childId, 1))[0]?.result).toBe('error')
    expect(desk.executed).toEqual([])
  })
})

// Rules: product.md 23
describe('attachments', () => {
  const attached = toReviewer({ attachments: ['notes/1.md', 'notes/2.md', 'readme.md'] })

  test('are shown with size and hash; those whose zone asks have a request of their own in the batch', async () => {
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

  test('are all needed: the delegation runs once its own request and each of theirs are approved', async () => {
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
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    const permits = await desk.database.db
      .selectFrom('permit')
      .select('state')
      .where('run_id', '=', (await row(childId)).parent_run_id)
      .execute()
    expect(permits.map(({ state }) => state)).toEqual(['consumed', 'consumed', 'consumed'])
    desk.say({ text: 'Read.' })
    await desk.turn(childId, 1)
    const [told] = desk.asked.at(-1)?.messages ?? []
    expect(told?.role === 'user' ? told.text : '').toContain(JSON.stringify('two\n'))
  })

  test('denied abort the delegation: what waits leaves the queue, what was approved loses its permit', async () => {
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
    const permits = await desk.database.db
      .selectFrom('permit')
      .select('state')
      .where('run_id', '=', runId)
      .execute()
    expect(permits.map(({ state }) => state)).toEqual(['revoked'])
  })

  test('that nobody decides in time expire the whole of it', async () => {
    const { runId, callId } = await delegating(attached)
    const [own, first] = await requestsOf(callId)
    await desk.decide(desk.people.grace, own?.id ?? '')
    await desk.database.db
      .updateTable('request')
      .set({ expires_at: new Date(0) })
      .where('id', '=', first?.id ?? '')
      .execute()
    expect(await desk.execute(callId)).toEqual({ kind: 'done' })
    expect((await desk.calls(runId, 1))[0]?.result).toBe('expired')
    const states = (await requestsOf(callId)).map(({ state }) => state)
    expect(states).toEqual(['approved', 'expired', 'cancelled'])
  })

  test('whose share is blocked block the delegation, and nobody is asked', async () => {
    const { runId, requestId } = await delegating(toReviewer({ attachments: ['kept/1.md'] }))
    expect([(await desk.calls(runId, 1))[0]?.result, requestId]).toEqual(['blocked', ''])
  })

  test('that changed since they were shown are asked about afresh, each with its new hash', async () => {
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
    expect(requests.slice(0, 3).every((one) => one.superseded_by === requests[3]?.id)).toBe(true)
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

  test('and the worker stay as they were asked about: an edit may change the task alone', async () => {
    const { requestId } = await delegating(attached)
    const { digest } = await desk.database.db
      .selectFrom('request')
      .select('digest')
      .where('id', '=', requestId)
      .executeTakeFirstOrThrow()
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

// Rules: security.md 13
describe('a child that no claim stands for', () => {
  const refused = { admitted: false, state: 'failed', code: 'delegation_refused', recorded: true }

  async function admitted(childId: string) {
    const answer = await admitRun(desk.api, { runId: childId })
    const { state, failure } = await row(childId)
    const recorded = (await desk.auditTypes(childId)).includes('permit.refused')
    return { admitted: answer, state, code: failure?.code ?? null, recorded }
  }

  test('written by SQL beside a real one, under the same call, is refused and the real one runs', async () => {
    const { childId } = await delegated()
    const forged = '019a0000-0000-7000-8000-0000000000aa'
    await sql`
      insert into run select (jsonb_populate_record(run, jsonb_build_object('id', ${forged}::text,
        'workflow_id', 'agent-run:forged'))).* from run where id = ${childId}`.execute(
      desk.database.db,
    )
    expect(await admitted(forged)).toEqual(refused)
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
  })

  test.each([
    ['another worker', sql`worker = 'circle'`],
    ['another input', sql`input_digest = ${hashBytes(canonicalJson('Delete all'))}`],
    ['the mode approve_all', sql`mode = 'approve_all'`],
    ['another starter', sql`started_by = (select id from person where email = 'olga@example.com')`],
  ])('changed to %s before it was signed is refused', async (_title, change) => {
    const { childId } = await delegated()
    await sql`insert into content (hash, encoding, size, bytes)
      values (${hashBytes(canonicalJson('Delete all'))}, 'identity', 12, ${Buffer.from(canonicalJson('Delete all'))})
      on conflict do nothing`.execute(desk.database.db)
    await sql`update run set ${change} where id = ${childId}`.execute(desk.database.db)
    expect(await admitted(childId)).toEqual(refused)
  })

  test('whose lineage leaves somebody out is refused', async () => {
    const { runId, childId } = await delegated()
    await sql`delete from run_lineage where run_id = ${childId} and ancestor_id = ${runId}`.execute(
      desk.database.db,
    )
    expect(await admitted(childId)).toEqual(refused)
  })

  test('claimed without a permit, by an attempt that says the policy allows it, is refused', async () => {
    const { runId, callId, childId } = await delegated()
    await sql`update execution set permit_id = null where call_id = ${callId}`.execute(
      desk.database.db,
    )
    expect(await admitted(childId)).toEqual(refused)
    await desk.execute(callId)
    expect((await desk.calls(runId, 1))[0]?.result).toBe('error')
  })
})

test('somebody behind the root is behind everything its child asks, and a grant of the root holds in the child', async () => {
  const { childId } = await delegated()
  await admitRun(desk.api, { runId: childId })
  await desk.activate({ 'workers/reviewer.md': worker('reviewer', zones) })
  const aWrite = { tool: 'write_file', input: { path: 'notes/granted.md', content: 'x\n' } }
  desk.say({ calls: [aWrite] }, { calls: [aWrite] })
  const turn = await desk.turn(childId, 1)
  const [call] = await desk.calls(childId, 1)
  const mine = await refusal(desk.decide(desk.people.ada, call?.requestId ?? ''))
  expect(mine.code).toBe('not_eligible')
  await desk.decide(desk.people.grace, call?.requestId ?? '', { scope: 'run' })
  await desk.perform(turn)
  const grant = await desk.database.db
    .selectFrom('approval_grant')
    .select('root_run_id')
    .where('request_id', '=', call?.requestId ?? '')
    .executeTakeFirstOrThrow()
  expect(grant.root_run_id).toBe((await row(childId)).root_run_id)
  await desk.turn(childId, 2)
  expect((await desk.calls(childId, 2))[0]?.verdict).toBe('preApproved')
  await desk.activate(files)
})
