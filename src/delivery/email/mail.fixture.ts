import { afterAll, beforeAll, beforeEach } from 'vitest'
import { addRequest, addRun, type TestRun } from '#test/harness/fixtures/gated-run.ts'
import { mailTo } from '#test/harness/fixtures/mail-settings.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { openMailServer, type MailServer } from '#test/harness/mail-server.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import type { StreamEventType } from '#domain/channels/stream-event.ts'
import type { EmailSettings } from '#policy/settings.ts'
import type { SigningContext } from '#services/core/context.ts'
import { chooseMail, type MailChoice } from '#services/channels/mail/mail-choice.ts'
import { writeRecords } from '#store/records/records.ts'
import { ChannelRelay, type RelayTimes } from '../channels/channel-relay.ts'
import { createDeliveries } from '../channels/create-deliveries.ts'
import { EventSequencer } from '../stream/event-sequencer.ts'
import { emailChannel } from './email-channel.ts'

export const publicUrl = 'https://countersign.example.com'
const quick: RelayTimes = { pausesMs: [1, 1], timeoutMs: 60_000, leaseMs: 120_000, everyMs: 50 }

export let database: TestDatabase
export let service: TestService
export let server: MailServer
export let run: TestRun
export let ada: TestPerson
export let grace: TestPerson
export let linus: TestPerson
export let olga: TestPerson
let sequencer: EventSequencer
let position = 0

/** Opens a service with people and a mail server; no mail is pending. Ada starts the run. */
export function useMailDesk(): void {
  beforeAll(async () => {
    database = await createTestDatabase()
    service = await createTestService(database.db)
    ada = await addPerson(database.db, 'Ada', ['platform'])
    grace = await addPerson(database.db, 'Grace', ['platform'])
    linus = await addPerson(database.db, 'Linus', ['platform'])
    await addPerson(database.db, 'Edsger', ['security'])
    olga = await addPerson(database.db, 'Olga', ['operators'])
    run = await addRun(service, { startedBy: ada })
    const { log } = service.ctx
    sequencer = new EventSequencer({ db: database.db, databaseUrl: database.url, log })
    await createDeliveries(service.ctx, channelOf(mailTo(1)))
  })
  afterAll(async () => {
    await sequencer[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    server = await openMailServer()
    for (const person of [ada, grace, linus]) await choose(person, { choice: 'nothing' })
    return () => server[Symbol.asyncDispose]()
  })
}

function channelOf(settings: EmailSettings) {
  const { seals } = service.ctx
  return emailChannel({ settings, publicUrl, db: database.db, seals, environment: {} })
}

/** The context with mail in the policy in force, to the server of this test. */
export function withMail(more: Partial<EmailSettings> = {}): SigningContext {
  const { policy, ctx } = service
  const rights = { ...policy.config.rights, activatePolicy: [{ team: 'operators' }] }
  const config = { ...policy.config, rights, email: mailTo(server.port, more) }
  const configured = { ...policy, digest: `with mail to ${server.port}`, config }
  return { ...ctx, policies: { ...ctx.policies, inForce: async () => configured } }
}

export function openRelay(
  times: Partial<RelayTimes> = {},
  more: Partial<EmailSettings> = {},
): ChannelRelay {
  const { policies, log, seals } = withMail(more)
  return new ChannelRelay({
    db: database.db,
    databaseUrl: database.url,
    seals,
    log,
    policies,
    channelsOf: ({ config }) => (config.email === null ? [] : [channelOf(config.email)]),
    times: { ...quick, ...times },
  })
}

export async function choose(person: TestPerson, choice: Partial<MailChoice>): Promise<void> {
  const usual: MailChoice = { choice: 'atOnce', ended: false }
  await chooseMail(service.ctx, person.caller, { ...usual, ...choice })
}

/** Writes a stream event of a request, as the verb that changes it does. */
export async function publish(type: StreamEventType, requestId: string): Promise<void> {
  const subject = { requestId, runId: run.id }
  await database.db
    .transaction()
    .execute((tx) => writeRecords(tx, { events: [{ type, subject }] }, null))
}

/** Opens a request of the run, with its event. */
export async function open(options: Parameters<typeof addRequest>[2] = {}) {
  position += 1
  const request = await addRequest(service, run, { position, ...options })
  await publish('request.opened', request.id)
  return request
}

/** The mails that arrived, in order, without the task: `grace: Waits for a decision: …` */
export function mailed(): string[] {
  return server.received.map(({ to, message }) => {
    const line = message.text?.split('\n').find((one) => !one.startsWith('Task of '))
    return `${to.join().split('@')[0]}: ${line}`
  })
}
