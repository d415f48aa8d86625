import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { addRun, type TestRequest, type TestRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { decideRequest } from './decide-request.ts'
import { trailTypes } from '#test/harness/fixtures/trail.ts'

export let database: TestDatabase
export let service: TestService
export let ada: TestPerson
export let grace: TestPerson
export let linus: TestPerson
export let edsger: TestPerson
export let run: TestRun

/** Opens a service with people for a file of tests, and a fresh run for each test. */
export function useDecisionDesk(): void {
  beforeAll(async () => {
    database = await createTestDatabase()
    service = await createTestService(database.db)
    ada = await addPerson(database.db, 'Ada', ['platform'])
    grace = await addPerson(database.db, 'Grace', ['platform'])
    linus = await addPerson(database.db, 'Linus', ['platform'])
    edsger = await addPerson(database.db, 'Edsger', ['security'])
  })
  afterAll(() => database[Symbol.asyncDispose]())
  beforeEach(async () => {
    run = await addRun(service, { startedBy: ada })
  })
}

export function approving(request: TestRequest, more: JsonObject = {}): JsonObject {
  return { decision: 'approve', digest: request.digest, revision: 1, ...more }
}

export function denying(request: TestRequest, more: JsonObject = {}): JsonObject {
  return { decision: 'deny', digest: request.digest, revision: 1, ...more }
}

export async function decide(
  person: TestPerson,
  request: { id: string },
  body: Json,
  key?: string,
) {
  const keyed = key === undefined ? {} : { idempotencyKey: key }
  return decideRequest(service.ctx, person.caller, { request: request.id, body, ...keyed })
}

export function auditTypes(requestId: string): Promise<string[]> {
  return trailTypes(database.db, { request: requestId })
}

export async function stateOf(requestId: string): Promise<string> {
  const row = await rowOf(database.db, 'request', { id: requestId })
  return row.state
}
