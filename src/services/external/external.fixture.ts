import { randomUUID } from 'node:crypto'
import { addKey, addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import type { Caller } from '../core/context.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import type { RequestDetailRecord } from '../requests/facts/request-record.ts'
import type { ExternalInput } from '../requests/facts/external-input.ts'
import { openExternal } from './open-external.ts'
import { trailTypes } from '#test/harness/fixtures/trail.ts'

/** A database with people, one of whom owns the key of a program. */
export interface ProgramDesk extends AsyncDisposable {
  readonly service: TestService
  readonly databaseUrl: string
  /** owns the program's key; may approve, but not what her program asks for */
  readonly grace: TestPerson
  readonly linus: TestPerson
  readonly ada: TestPerson
  readonly program: { readonly id: string; readonly caller: Caller }
  /** Asks for a call of `deploy`; the record as Linus sees it. */
  ask(more?: Partial<ExternalInput>): Promise<RequestDetailRecord>
  /** Asks for a call of the gateway, for a task of its client (`byTask`) or for a connection. */
  askByGateway(of: { readonly byTask: boolean }): Promise<RequestDetailRecord>
  decide(request: RequestDetailRecord, decision: 'approve' | 'deny'): Promise<void>
  read(requestId: string): Promise<RequestDetailRecord>
  auditOf(requestId: string): Promise<string[]>
}

let named = 0

export async function openProgramDesk(): Promise<ProgramDesk> {
  const database = await createTestDatabase()
  const service = await createTestService(database.db)
  const grace = await addPerson(service.db, 'Grace', ['platform'])
  const linus = await addPerson(service.db, 'Linus', ['platform'])
  const ada = await addPerson(service.db, 'Ada', [])
  const program = await addKey(service.db, grace)
  const read = (request: string): Promise<RequestDetailRecord> =>
    getRequest(service.ctx, linus.caller, { request })
  const ask = async (more: Partial<ExternalInput> = {}): Promise<RequestDetailRecord> => {
    named += 1
    const { requestId } = await openExternal(service.ctx, program.caller, {
      tool: 'deploy',
      input: { service: 'shop', version: '1.4.2' },
      externalId: `call-${named}`,
      ...more,
    })
    return read(requestId)
  }
  return {
    service,
    databaseUrl: database.url,
    grace,
    linus,
    ada,
    program,
    read,
    ask,
    async askByGateway({ byTask }) {
      const request = await ask()
      await service.db
        .insertInto('gateway_call')
        .values({
          request_id: request.id,
          task_id: randomUUID(),
          owner_id: grace.id,
          server: 'shop',
          call_key: randomUUID(),
          client_call_id: null,
          task_queue: 'test',
          by_task: byTask,
        })
        .execute()
      return request
    },
    async decide(request, decision) {
      const { digest, revision, presentation, alike } = request
      const body = {
        decision,
        digest,
        revision,
        reason: 'looked',
        seen: presentation.digest,
        ...(decision === 'approve' && alike.again > 0 ? { again: true } : {}),
      }
      await decideRequest(service.ctx, linus.caller, { request: request.id, body })
    },
    auditOf: (requestId) => trailTypes(service.db, { request: requestId }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
