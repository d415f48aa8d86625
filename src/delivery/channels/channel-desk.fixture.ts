import {
  addRequest,
  addRun,
  type RequestOptions,
  type TestRequest,
  type TestRun,
} from '#test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import type { StreamEventType } from '#domain/channels/stream-event.ts'
import { writeRecords } from '#store/records/records.ts'
import { EventSequencer } from '../stream/event-sequencer.ts'

export const publicUrl = 'https://countersign.example.com'

/** A service that numbers its events, with a run of Ada's, for tests of channels. */
export interface ChannelDesk extends AsyncDisposable {
  readonly database: TestDatabase
  readonly service: TestService
  readonly run: TestRun
  readonly ada: TestPerson
  /** of the queue's team */
  readonly grace: TestPerson
  readonly aud: TestPerson
  readonly olga: TestPerson
  /** Opens a request without a stream event, so that no channel sends a message. */
  add(options?: RequestOptions): Promise<TestRequest>
  /** Opens a request, with its event of this type; `request.opened` when absent. */
  open(type?: StreamEventType, options?: RequestOptions): Promise<TestRequest>
  happen(type: StreamEventType, requestId: string): Promise<void>
  /** A channel that is configured after this sends no message about earlier events. */
  untilNumbered(): Promise<void>
}

export async function openChannelDesk(): Promise<ChannelDesk> {
  const database = await createTestDatabase()
  const { db, url: databaseUrl } = database
  const service = await createTestService(db)
  const ada = await addPerson(db, 'Ada', [])
  const grace = await addPerson(db, 'Grace', ['platform'])
  const aud = await addPerson(db, 'Aud', ['auditors'])
  const olga = await addPerson(db, 'Olga', ['operators'])
  const run = await addRun(service, { startedBy: ada })
  const sequencer = new EventSequencer({ db, databaseUrl, log: service.ctx.log })
  let position = 0
  const happen = async (type: StreamEventType, requestId: string): Promise<void> => {
    const events = [{ type, subject: { requestId, runId: run.id } }]
    await db.transaction().execute((tx) => writeRecords(tx, { events }, null))
  }
  const add = async (options: RequestOptions = {}): Promise<TestRequest> => {
    position += 1
    return addRequest(service, run, { position, ...options })
  }
  return {
    database,
    service,
    run,
    ada,
    grace,
    aud,
    olga,
    add,
    happen,
    async open(type = 'request.opened', options = {}) {
      const request = await add(options)
      await happen(type, request.id)
      return request
    },
    async untilNumbered() {
      await waitUntil(async () => {
        const waiting = db.selectFrom('event').select('id').where('sequence', 'is', null)
        return (await waiting.execute()).length === 0
      })
    },
    async [Symbol.asyncDispose]() {
      await sequencer[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
