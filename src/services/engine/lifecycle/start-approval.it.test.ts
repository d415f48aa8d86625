import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { signStatement } from '#domain/statements/statement-bytes.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { testVerifier } from '#test/harness/fixtures/keys/test-keys.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { getRequest } from '../../requests/detail/get-request.ts'
import { forkRun } from '../../runs/forking/fork-run.ts'
import { messageRun } from '../../runs/message-run.ts'
import { getRun } from '../../runs/reading/get-run.ts'
import { startRun, type StartRunInput } from '../../runs/starting/start-run.ts'
import { revokePermit } from '../../permits/revoke-permit.ts'
import { bySystem, workflow } from '../../core/authority.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { statementOf } from '../../core/verify-run.ts'
import { admitTurn } from './admit-start.ts'
import { cancelRun } from './cancel-run.ts'

const asking = deskWorker.replace('zones:', 'startApproval: ask\nzones:')

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  'countersign.yaml': `${deskConfig.replace('defaults:', '  alone: { team: operators }\ndefaults:')}overlays:
  - { when: { tool: start_run, worker: watched }, approval: ask, reason: the board wants to know }
  - { when: { tool: start_run, worker: never }, approval: { blocked: not this year } }
`,
  'workers/careful.md': asking.replace('name: scribe', 'name: careful'),
  'workers/lonely.md': asking.replace('name: scribe', 'name: lonely\nqueue: alone'),
  'workers/watched.md': deskWorker.replace('name: scribe', 'name: watched'),
  'workers/never.md': deskWorker.replace('name: scribe', 'name: never'),
  'workers/caller.md': deskWorker.replace(
    'name: scribe',
    'name: caller\nworkers: [careful, scribe]\ntools: { call_worker: { approval: preApproved } }',
  ),
})

beforeEach(() => {
  desk.steps.length = 0
  desk.modelRequests.length = 0
})

const show = (runId: string) => getRun(desk.api, desk.people.ada.caller, runId)

/** A run that waits for the approval of its start, and its request. */
async function waiting(input: Partial<StartRunInput> = {}) {
  const run = await startRun(desk.api, desk.people.ada.caller, {
    worker: 'careful',
    input: 'Write the notes',
    ...input,
  })
  const { start_request_id: requestId } = await rowOf(desk.database.db, 'run', { id: run.id })
  return { run, runId: run.id, requestId: requestId ?? '' }
}

// Rules: product.md 45
describe('a worker that asks before it starts', () => {
  test('has runs that call no model until another person approves what the request shows', async () => {
    const { ada, grace } = desk.people
    await desk.write('notes/plan.md', 'the plan\n')
    const { run, runId, requestId } = await waiting({ attachments: ['notes/plan.md'] })
    expect(run.state).toBe('waiting_for_approval')
    expect(await desk.turn(runId, 1)).toMatchObject({
      kind: 'waiting_for_input',
      turn: 1,
      restsForMs: expect.any(Number) as number,
    })
    expect(desk.modelRequests).toEqual([])
    expect(await show(runId)).toMatchObject({
      state: 'waiting_for_approval',
      turns: 0,
      pendingRequests: 1,
      waitsFor: [{ requestId }],
    })
    const request = await getRequest(desk.api, grace.caller, { request: requestId })
    expect(request).toMatchObject({
      kind: 'start',
      tool: 'start_run',
      title: 'Start careful: Write the notes',
      effect: 'Start a run of careful',
      risk: 'medium',
      queue: 'platform',
      runId,
      callId: null,
      turn: null,
      batch: null,
      input: {
        worker: 'careful',
        input: 'Write the notes',
        mode: 'prompt',
        attachments: ['notes/plan.md'],
      },
      rule: { id: 'start:worker', source: expect.stringMatching(/^workers\/careful.md:\d+$/) },
      allowedScopes: ['once'],
      edits: 'off',
      task: { text: 'Write the notes' },
      presentation: { metadata: { worker: 'careful', attachments: [{ path: 'notes/plan.md' }] } },
    })
    for (const words of ['Mode: prompt', 'Runs without approval:', 'Asks people:', 'the plan']) {
      expect(request.presentation.content).toContain(words)
    }
    expect((await refusal(desk.decide(ada, requestId))).message).toContain('you started this run')
    await desk.decide(grace, requestId)
    expect(await show(runId)).toMatchObject({ state: 'running', turns: 0 })
    await desk.turn(runId, 1)
    expect(desk.modelRequests).toHaveLength(1)
    expect(await show(runId)).toMatchObject({ state: 'completed', output: 'Done.' })
    expect(await desk.auditTypes(runId)).toEqual([
      'run.started',
      'request.opened',
      'decision.refused',
      'decision.recorded',
      'permit.issued',
      'permit.consumed',
      'run.ended',
    ])
  })

  test('has its run cancelled by a denial, and no call of it is carried out', async () => {
    const { runId, requestId } = await waiting()
    await desk.decide(desk.people.grace, requestId, { decision: 'deny', reason: 'not today' })
    expect(await show(runId)).toMatchObject({
      state: 'cancelled',
      failure: { code: 'start_denied' },
      pendingRequests: 0,
    })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'ended' })
    expect(desk.modelRequests).toEqual([])
    expect(await desk.auditTypes(runId)).toContain('run.cancelled')
  })

  test('has its run cancelled once it has expired, by the timer or by a late decision', async () => {
    const over = async (requestId: string) =>
      setRows(desk.database.db, 'request', { id: requestId }, { expires_at: new Date(0) })
    const timed = await waiting()
    await over(timed.requestId)
    expect(await desk.turn(timed.runId, 1)).toEqual({ kind: 'ended' })
    const late = await waiting()
    await over(late.requestId)
    expect((await refusal(desk.decide(desk.people.grace, late.requestId))).code).toBe('expired')
    for (const { runId } of [timed, late]) {
      expect(await show(runId)).toMatchObject({
        state: 'cancelled',
        failure: { code: 'start_expired' },
      })
    }
    expect(desk.modelRequests).toEqual([])
  })

  test('lets nobody send messages beyond what was shown, and can be cancelled while it waits', async () => {
    const { ada, grace } = desk.people
    const { runId, requestId } = await waiting()
    const message = messageRun(desk.api, ada.caller, { runId, text: 'And delete the rest' })
    expect((await refusal(message)).code).toBe('conflict')
    await cancelRun(desk.api, ada.caller, { runId })
    const request = await getRequest(desk.api, grace.caller, { request: requestId })
    expect(request).toMatchObject({ state: 'cancelled', cancelReason: 'run_cancelled' })
    expect(await show(runId)).toMatchObject({ state: 'cancelled', failure: null })
    expect((await refusal(desk.decide(grace, requestId))).code).toBe('cancelled')
  })

  test('begins no run whose approval the API process did not sign', async () => {
    const { db } = desk.database
    const { runId, requestId } = await waiting()
    await db.updateTable('request').set({ state: 'approved' }).where('id', '=', requestId).execute()
    await setRows(db, 'run', { id: runId }, { state: 'running', pending_requests: 0 })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'ended' })
    expect(desk.modelRequests).toEqual([])
    expect(await desk.auditTypes(runId)).toContain('permit.refused')
  })

  // Rules: security.md 13, 29
  test.each([
    { start_request_id: null },
    { turn: 1 },
    { turn: -1 },
    { forked_after_turn: 1 },
    { start_request_id: null, turn: 1 },
  ])('calls no model when a changed row says that it may: %o', async (change) => {
    const { runId } = await waiting()
    await setRows(desk.database.db, 'run', { id: runId }, { ...change, state: 'running' })
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
    expect(desk.modelRequests).toEqual([])
    expect(await desk.auditTypes(runId)).toContain('permit.refused')
  })

  // Rules: security.md 13, 29
  test('makes a run whose row was changed fail with that cause, also after a turn', async () => {
    const { db } = desk.database
    const runId = await desk.start()
    desk.say({ calls: [{ tool: 'write_file', input: { path: 'scratch/z', content: 'z' } }] })
    await desk.perform(await desk.turn(runId, 1))
    await setRows(db, 'run', { id: runId }, { started_by: desk.people.grace.id })
    const before = desk.modelRequests.length
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
    expect(desk.modelRequests).toHaveLength(before)
    const { failure } = await rowOf(db, 'run', { id: runId }, 'failure')
    expect(failure).toMatchObject({
      code: 'invalid_statement',
      message: expect.stringContaining('does not hold for its row') as string,
    })
  })

  // Rules: security.md 13
  test('has runs that continue once a process has the key that signed them, and that a process without it does not end', async () => {
    const { db } = desk.database
    const runId = await desk.start()
    const other = generateKeyPairSync('ed25519')
    const verifier = { publicKeys: new Map([['other', other.publicKey]]) }
    const judged = inUnitOfWork(
      { ...desk.worker, verifier },
      bySystem(desk.worker, workflow),
      async (unit) => admitTurn(unit, await rowOf(unit.tx, 'run', { id: runId })),
    )
    await expect(judged).rejects.toThrow('COUNTERSIGN_PUBLIC_KEYS')
    expect(await rowOf(db, 'run', { id: runId }, 'state', 'ended_at')).toMatchObject({
      ended_at: null,
    })
    await desk.turn(runId, 1)
    expect((await show(runId)).state).toBe('completed')
  })

  test('has runs that continue after the key that signed their approval was retired', async () => {
    const { runId, requestId } = await waiting()
    await desk.decide(desk.people.grace, requestId)
    const write = { tool: 'write_file', input: { path: 'scratch/y', content: 'y' } }
    desk.say({ calls: [write] })
    await desk.perform(await desk.turn(runId, 1))
    const other = generateKeyPairSync('ed25519')
    const verifier = {
      publicKeys: new Map([['other', other.publicKey]]),
      retired: new Map(
        [...testVerifier.publicKeys].map(([id, publicKey]) => [id, { publicKey, at: '' }]),
      ),
    }
    const run = await rowOf(desk.database.db, 'run', { id: runId })
    const signer = { keyId: 'other', privateKey: other.privateKey }
    const { signature, keyId } = signStatement(signer, 'run', statementOf(run))
    await setRows(desk.database.db, 'run', { id: runId }, { signature, key_id: keyId })
    const judged = await inUnitOfWork(
      { ...desk.worker, verifier },
      bySystem(desk.worker, workflow),
      async (unit) => admitTurn(unit, await rowOf(unit.tx, 'run', { id: runId })),
    )
    expect(judged).toEqual({ kind: 'begins' })
  })

  // Rules: security.md 29
  test('begins no run whose approval was revoked, as if its permit had been spent before', async () => {
    const { db } = desk.database
    const { grace } = desk.people
    const { runId, requestId } = await waiting()
    await desk.decide(grace, requestId)
    await revokePermit(desk.api, grace.caller, { request: requestId, reason: 'no' })
    await db
      .updateTable('permit')
      .set(({ ref }) => ({ state: 'consumed', ended_at: ref('issued_at') }))
      .where('request_id', '=', requestId)
      .execute()
    await setRows(
      db,
      'run',
      { id: runId },
      { state: 'running', ended_at: null, pending_requests: 0 },
    )
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'ended' })
    expect(desk.modelRequests).toEqual([])
  })

  test('spends its permit once, also when the first attempt at its turn is lost', async () => {
    const { runId, requestId } = await waiting()
    await desk.decide(desk.people.grace, requestId)
    desk.say(async () => {
      throw new Error('the process dies here')
    })
    await expect(desk.turn(runId, 1)).rejects.toThrow('the process dies here')
    await desk.turn(runId, 1)
    expect((await show(runId)).state).toBe('completed')
    const types = await desk.auditTypes(runId)
    expect(types.filter((type) => type === 'permit.consumed')).toHaveLength(1)
  })

  test('is not started where only people behind it could approve, and is started by nobody when blocked', async () => {
    const { api, people } = desk
    const start = (worker: string) => startRun(api, people.olga.caller, { worker, input: 'x' })
    const alone = await refusal(start('lonely'))
    expect(alone.code).toBe('unreachable_approvers')
    expect(alone.message).toContain('Olga')
    expect(await refusal(start('never'))).toMatchObject({
      code: 'policy_blocked',
      message: 'not this year',
    })
  })

  test('asks by an overlay that names start_run, and no other overlay does', async () => {
    const { runId, requestId } = await waiting({ worker: 'watched' })
    const request = await getRequest(desk.api, desk.people.grace.caller, { request: requestId })
    expect(request.rule.text).toContain('the board wants to know')
    expect((await show(runId)).state).toBe('waiting_for_approval')
  })
})

// Rules: product.md 21
describe('the mode of a run whose start asks', () => {
  test('strict denies the start, and approve_all approves it', async () => {
    const strict = await waiting({ mode: 'strict' })
    expect(strict.run.state).toBe('cancelled')
    expect(await show(strict.runId)).toMatchObject({ failure: { code: 'start_denied' } })
    expect((await show(strict.runId)).failure?.message).toContain('strict')
    const all = await startRun(desk.api, desk.people.olga.caller, {
      worker: 'careful',
      input: 'x',
      mode: 'approve_all',
    })
    expect(all.state).toBe('running')
  })
})

describe('a run of such a worker that is started otherwise', () => {
  test('by a fork waits again, and everybody behind the old run is behind its start', async () => {
    const { ada, grace, linus } = desk.people
    const { runId, requestId } = await waiting()
    await desk.decide(linus, requestId)
    await desk.turn(runId, 1)
    const fork = await forkRun(desk.api, grace.caller, { runId, text: 'Go on', afterTurn: 1 })
    expect(fork.state).toBe('waiting_for_approval')
    expect(await desk.turn(fork.id, 2)).toMatchObject({ kind: 'waiting_for_input' })
    const [waits] = (await show(fork.id)).waitsFor
    for (const behind of [ada, grace]) {
      expect((await refusal(desk.decide(behind, waits?.requestId ?? ''))).code).toBe('not_eligible')
    }
    await desk.decide(linus, waits?.requestId ?? '')
    await desk.turn(fork.id, 2)
    expect((await show(fork.id)).state).toBe('completed')
  })

  test('by a key has the owner of the key behind it', async () => {
    const { ada, grace } = desk.people
    const { caller } = await addKey(desk.database.db, grace)
    const run = await startRun(desk.api, caller, { worker: 'careful', input: 'x' })
    const [waits] = (await show(run.id)).waitsFor
    expect((await refusal(desk.decide(grace, waits?.requestId ?? ''))).code).toBe('not_eligible')
    await desk.decide(ada, waits?.requestId ?? '')
    expect((await show(run.id)).state).toBe('running')
  })

  test('by a call of another worker asks, whatever the tools of that worker say', async () => {
    const call = (worker: string) => ({ tool: 'call_worker', input: { worker, input: 'x' } })
    desk.say({ calls: [call('careful'), call('scribe')] })
    const { runId } = await desk.startTurn({ worker: 'caller' })
    const calls = await desk.calls(runId, 1)
    expect(calls.map(({ verdict }) => verdict)).toEqual(['ask', 'preApproved'])
  })
})
