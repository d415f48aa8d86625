import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addRequest, addRun, type TestRequest } from '../../../test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '../../../test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '../../../test/harness/fixtures/test-service.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/postgres.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { raiseEpoch } from './raise-epoch.ts'
import { recordProcess } from './record-process.ts'
import { ForeignNamespaceError, rememberNamespace } from './remember-namespace.ts'

let database: TestDatabase
let service: TestService
let ada: TestPerson
let grace: TestPerson

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  ada = await addPerson(service.db, 'Ada', [])
  grace = await addPerson(service.db, 'Grace', ['platform'])
})
afterAll(() => database[Symbol.asyncDispose]())

async function approvedRequest(): Promise<TestRequest> {
  const run = await addRun(service, { startedBy: ada })
  const request = await addRequest(service, run)
  await decideRequest(service.ctx, grace.caller, {
    request: request.id,
    body: { decision: 'approve', digest: request.digest, revision: 1, scope: 'once' },
  })
  return request
}

async function checksOf(request: TestRequest) {
  return service.db
    .selectFrom('request')
    .select(['id', 'state', 'attempt'])
    .where('call_id', '=', request.callId)
    .where('kind', '=', 'outcome_check')
    .execute()
}

describe('raiseEpoch', () => {
  it('makes an approved call that may have run in the lost time an outcome check, and its permit void', async () => {
    const request = await approvedRequest()
    const waiting = await addRequest(service, await addRun(service, { startedBy: ada }))
    const raised = await raiseEpoch(service.ctx, { namespaceId: 'new' })
    expect(raised.checks).toBe(1)
    expect(await checksOf(request)).toMatchObject([{ state: 'pending', attempt: 2 }])
    expect(await checksOf(waiting)).toEqual([])
    const permit = await service.db
      .selectFrom('permit')
      .select('state')
      .where('call_id', '=', request.callId)
      .executeTakeFirstOrThrow()
    expect(permit.state).toBe('revoked')
    const execution = await service.db
      .selectFrom('execution')
      .select(['state', 'attempt'])
      .where('call_id', '=', request.callId)
      .execute()
    expect(execution).toEqual([{ state: 'unknown', attempt: 1 }])
  })

  it('asks about each uncertain call once, however often it is run', async () => {
    const request = await approvedRequest()
    expect((await raiseEpoch(service.ctx, { namespaceId: 'new' })).checks).toBe(1)
    expect((await raiseEpoch(service.ctx, { namespaceId: 'new' })).checks).toBe(0)
    expect(await checksOf(request)).toHaveLength(1)
  })

  it('accepts the namespace that is there now, which was refused before', async () => {
    await service.db.updateTable('installation').set({ namespace_id: 'old' }).execute()
    await expect(rememberNamespace(service.db, 'other')).rejects.toThrow(ForeignNamespaceError)
    await raiseEpoch(service.ctx, { namespaceId: 'other' })
    await rememberNamespace(service.db, 'other')
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
