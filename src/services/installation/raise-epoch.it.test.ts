import { describe, expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { decideMany } from '../decisions/decide-many.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { createServiceProcess } from '../core/system.ts'
import { openProgramDesk } from '../external/external.fixture.ts'
import { consumeGatewayPermit } from '../gateway/consume-gateway-permit.ts'
import { readCallsWithoutRequest } from './calls-without-request.ts'
import { raiseEpoch } from './raise-epoch.ts'
import { recordProcess } from './record-process.ts'
import { ForeignNamespaceError, rememberNamespace } from './remember-namespace.ts'

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const ada = await addPerson(service.db, 'Ada', [])
const grace = await addPerson(service.db, 'Grace', ['platform'])

async function approvedRequest(): Promise<TestRequest> {
  const run = await addRun(service, { startedBy: ada })
  const request = await addRequest(service, run)
  await decideAs(service.ctx, grace, request, { scope: 'once' })
  return request
}

async function checksOf(request: TestRequest) {
  return rowsOf(
    service.db,
    'request',
    { call_id: request.callId, kind: 'outcome_check' },
    'id',
    'state',
    'attempt',
  )
}

async function isMarked(request: TestRequest): Promise<boolean> {
  const detail = await getRequest(service.ctx, grace.caller, { request: request.id })
  return detail.askedBeforeRestore
}

describe('raiseEpoch', () => {
  it('turns an approved call that may have run in the lost period into an outcome check, and voids its permit', async () => {
    const request = await approvedRequest()
    const waiting = await addRequest(service, await addRun(service, { startedBy: ada }))
    const raised = await raiseEpoch(service.ctx, { namespaceId: 'new', lost: null })
    expect(raised.checks).toBe(1)
    expect(await checksOf(request)).toMatchObject([{ state: 'pending', attempt: 2 }])
    expect(await checksOf(waiting)).toEqual([])
    const permit = await rowOf(service.db, 'permit', { call_id: request.callId })
    expect(permit.state).toBe('revoked')
    const execution = await rowsOf(
      service.db,
      'execution',
      { call_id: request.callId },
      'state',
      'attempt',
    )
    expect(execution).toEqual([{ state: 'unknown', attempt: 1 }])
  })

  it('asks about each uncertain call once, however often it is called', async () => {
    const request = await approvedRequest()
    expect((await raiseEpoch(service.ctx, { namespaceId: 'new', lost: null })).checks).toBe(1)
    expect((await raiseEpoch(service.ctx, { namespaceId: 'new', lost: null })).checks).toBe(0)
    expect(await checksOf(request)).toHaveLength(1)
  })

  it('asks about a call of the gateway that had begun, whose workflow may be lost, and once', async () => {
    await using desk = await openProgramDesk()
    const { ctx, policy } = desk.service
    const { id, digest } = await desk.askByGateway({ byTask: true }).then(async (request) => {
      await desk.decide(request, 'approve')
      return request
    })
    const { signal } = new AbortController()
    const call = { digest, policyDigest: policy.digest, signal }
    const host = { ...ctx, system: createServiceProcess() }
    expect(await consumeGatewayPermit(host, id, call)).toBe('consumed')
    const raise = async () =>
      (await raiseEpoch(desk.service.ctx, { namespaceId: 'new', lost: null })).checks
    expect([await raise(), await raise()]).toEqual([1, 0])
    const { outcomeCheck } = await desk.read(id)
    expect(await desk.read(outcomeCheck ?? '')).toMatchObject({ state: 'pending' })
  })

  it('marks pending requests as asked before a restore: they are approved individually, with a reason, and denied as usual', async () => {
    const run = await addRun(service, { startedBy: ada })
    const [one, other, third] = [
      await addRequest(service, run),
      await addRequest(service, run, { position: 2 }),
      await addRequest(service, run, { position: 3 }),
    ]
    const before = await raiseEpoch(service.ctx, { namespaceId: 'new', lost: null })
    expect(before.waiting).toBe(0)
    expect(await isMarked(one)).toBe(false)
    const { waiting } = await raiseEpoch(service.ctx, {
      namespaceId: 'new',
      lost: { mayHaveRun: [] },
    })
    expect(waiting).toBeGreaterThanOrEqual(3)
    expect(await isMarked(one)).toBe(true)

    const approval = (request: TestRequest, reason?: string) => ({
      decision: 'approve',
      digest: request.digest,
      revision: 1,
      scope: 'once',
      ...(reason === undefined ? {} : { reason }),
    })
    const decide = (request: TestRequest, body: JsonObject) =>
      decideRequest(service.ctx, grace.caller, { request: request.id, body })
    expect((await refusal(decide(one, approval(one)))).code).toBe('reason_required')
    const many = await decideMany(service.ctx, grace.caller, {
      decisions: [one, other].map((request) => ({
        requestId: request.id,
        ...approval(request, 'I looked.'),
      })),
    })
    expect(many.items.map(({ code }) => code)).toEqual(['not_alike', 'not_alike'])
    await decide(one, approval(one, 'I looked: it did not run.'))
    await decide(third, { decision: 'deny', digest: third.digest, revision: 1, then: 'continue' })
    expect([await isMarked(one), await isMarked(third)]).toEqual([false, false])

    const fresh = await addRequest(service, await addRun(service, { startedBy: ada }))
    expect(await isMarked(fresh)).toBe(false)
  })

  it('turns a call that needed no approval, and that may have run, into an outcome check, once', async () => {
    const run = await addRun(service, { startedBy: ada })
    const { callId } = await addRequest(service, run)
    await setRows(
      service.db,
      'tool_call',
      { id: callId },
      { verdict: 'preApproved', request_id: null },
    )
    expect(await readCallsWithoutRequest(service.db)).toEqual([
      { callId, workflowId: `run-${run.id}` },
    ])
    // What earlier tests left.
    await raiseEpoch(service.ctx, { namespaceId: 'new', lost: null })
    const lost = { mayHaveRun: [callId] }
    expect((await raiseEpoch(service.ctx, { namespaceId: 'new', lost })).checks).toBe(1)
    expect(await readCallsWithoutRequest(service.db)).toEqual([])
    expect((await raiseEpoch(service.ctx, { namespaceId: 'new', lost })).checks).toBe(0)
    const check = await rowsOf(
      service.db,
      'request',
      { call_id: callId, kind: 'outcome_check' },
      'state',
      'attempt',
    )
    expect(check).toEqual([{ state: 'pending', attempt: 2 }])
  })

  it('that fails half way leaves an installation that refuses to start, and can be repeated', async () => {
    const restoredAt = async () =>
      (await service.db.selectFrom('installation').select('restored_at').executeTakeFirst())
        ?.restored_at
    const request = await approvedRequest()
    const broken = raiseEpoch(service.ctx, {
      namespaceId: 'new',
      lost: { mayHaveRun: ['no id of a call'] },
    })
    await expect(broken).rejects.toThrow('invalid input syntax')
    expect(await restoredAt()).toBeInstanceOf(Date)
    await raiseEpoch(service.ctx, { namespaceId: 'new', lost: { mayHaveRun: [] } })
    expect(await checksOf(request)).toHaveLength(1)
    expect(await restoredAt()).toBeNull()
  })

  it('accepts the namespace that is there now, which was refused before', async () => {
    await service.db.updateTable('installation').set({ namespace_id: 'old' }).execute()
    await expect(rememberNamespace(service.db, 'other')).rejects.toThrow(ForeignNamespaceError)
    await raiseEpoch(service.ctx, { namespaceId: 'other', lost: null })
    await rememberNamespace(service.db, 'other')
  })

  it('is above every epoch that this host has seen, also when the same older copy is restored a second time', async () => {
    const { epoch } = await rowOf(service.db, 'installation', {}, 'epoch')
    const ctx = { ...service.ctx, memory: { ...service.ctx.memory, epoch: () => epoch + 6 } }
    const raised = await raiseEpoch(ctx, { namespaceId: 'new', lost: { mayHaveRun: [] } })
    expect(raised.epoch).toBe(epoch + 7)
    const stored = await rowOf(service.db, 'installation', {}, 'epoch', 'restored_epoch')
    expect(stored).toEqual({ epoch: epoch + 7, restored_epoch: epoch + 7 })
  })
})

it('the trail says when a process of the API began to serve, and when it stopped', async () => {
  await recordProcess(service.ctx, 'started')
  await recordProcess(service.ctx, 'stopped')
  const rows = await service.db
    .selectFrom('audit_event')
    .select(['type', 'actor_type', 'document'])
    .where('type', 'in', ['system.started', 'system.stopped'])
    .orderBy('at')
    .execute()
  const actor_type = 'system'
  expect(rows).toMatchObject([
    { type: 'system.started', actor_type },
    { type: 'system.stopped', actor_type },
  ])
  for (const { document } of rows) {
    expect(JSON.parse(document).detail).toEqual({ processId: service.ctx.processId })
  }
})
