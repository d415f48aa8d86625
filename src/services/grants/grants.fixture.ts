import type { CallFacts } from '#domain/requests/request.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import {
  addRequest,
  addRun,
  type TestRequest,
  type TestRun,
} from '#test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { findGrant, type MatchingGrant } from './find-grant.ts'
import type { GrantedCall } from './verify-grant.ts'

/** A run of Ada's, with approvals by Grace for the run; Olga manages runs. */
export interface GrantDesk extends AsyncDisposable {
  readonly database: TestDatabase
  readonly service: TestService
  readonly ada: TestPerson
  readonly olga: TestPerson
  grace: TestPerson
  run: TestRun
  /** another run and another Grace, for the next test */
  renew(): Promise<void>
  /** a request of the run that Grace approves, for the run unless `more` says otherwise */
  grant(more?: JsonObject): Promise<TestRequest>
  /** `at`: this run; `now`: the facts that a command depends on, `null` for other calls */
  find(call: GrantedCall, at?: TestRun, now?: CallFacts | null): Promise<MatchingGrant | null>
}

/** A digest of no call. */
export const otherDigest = `sha256:${'1'.repeat(64)}`

/** The call of a request, as a grant is looked up for it. */
export function callOf(request: TestRequest, more: Partial<GrantedCall> = {}): GrantedCall {
  const path = String(request.input['path'])
  return { tool: 'write_file', digest: request.digest, toolHash: request.toolHash, path, ...more }
}

/** A database of its own with the people, and a first run. */
export async function openGrants(): Promise<GrantDesk> {
  const database = await createTestDatabase()
  const service = await createTestService(database.db)
  const ada = await addPerson(database.db, 'Ada', ['platform'])
  const olga = await addPerson(database.db, 'Olga', ['operators'])
  const anotherGrace = () =>
    addPerson(database.db, 'Grace', ['platform'], `${crypto.randomUUID()}@example.com`)
  const desk: GrantDesk = {
    database,
    service,
    ada,
    olga,
    grace: await anotherGrace(),
    run: await addRun(service, { startedBy: ada }),
    async renew() {
      desk.run = await addRun(service, { startedBy: ada })
      desk.grace = await anotherGrace()
    },
    async grant(more = { scope: 'run' }) {
      const request = await addRequest(service, desk.run)
      await decideAs(service.ctx, desk.grace, request, more)
      return request
    },
    find(call, at = desk.run, now = null) {
      const restsOn = async () => now
      const question = { runId: at.id, rootRunId: at.rootRunId, call, invocation: null, restsOn }
      return findGrant(service.ctx, question)
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
  return desk
}
