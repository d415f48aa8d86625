import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { expect, it } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import { decideRequest } from '#services/decisions/decide-request.ts'
import { listDeliveries } from '#services/channels/webhooks/list-deliveries.ts'
import { resendDelivery } from '#services/channels/webhooks/resend-delivery.ts'
import { endAbsence, setAbsence } from '#services/access/absence.ts'
import { handOverRequest } from '#services/requests/hand-over-request.ts'
import { hence } from '#test/harness/fixtures/runs/hence.ts'
import type { Mail } from './mail.ts'
import {
  ada,
  choose,
  database,
  grace,
  linus,
  mailed,
  olga,
  open,
  openRelay,
  server,
  publish,
  useMailDesk,
  withMail,
} from './mail.fixture.ts'

useMailDesk()

async function newest(requestId: string) {
  const { items } = await listDeliveries(withMail(), olga.caller, { endpoint: 'email:people' })
  return items.find((one) => one.requestId === requestId)
}

async function untilState(requestId: string, state: string): Promise<void> {
  await waitUntil(async () => {
    const delivery = await newest(requestId)
    return delivery?.state === state || `it is ${delivery?.state}: ${delivery?.lastError}`
  })
}

/** Waits until a mail that arrived is recorded: the next relay would send it again. */
async function untilAllDelivered(): Promise<void> {
  await waitUntil(async () => {
    const { items } = await listDeliveries(withMail(), olga.caller, { endpoint: 'email:people' })
    return items.every(({ state }) => state === 'delivered')
  })
}

// Rules: security.md 22
it('mails those who may decide and chose mail at once, once each, and nobody behind the request or in other teams', async () => {
  await using _relay = openRelay()
  await using _other = openRelay()
  for (const person of [ada, grace]) await choose(person, { choice: 'atOnce' })
  const input = { path: 'notes/plan.md', content: 'nobody’s business' }
  const request = await open({ input, risk: 'high' })
  await untilState(request.id, 'delivered')
  expect(mailed()).toEqual(['grace: Waits for a decision: Write "notes/plan.md"'])
  const [mail] = server.received
  expect(mail?.raw).not.toMatch(/business|write the notes/)
  expect(mail?.message.text).toContain(`https://countersign.example.com/requests/${request.id}`)
  expect(mail?.message.messageId).toBe(`<${(await newest(request.id))?.id}@example.com>`)
  expect(mail?.message.references).toBe(`<request-${request.id}@example.com>`)
})

it('mails the end of a request to the starter of the run, and to others who chose mail about every end', async () => {
  await using _relay = openRelay()
  await choose(ada, { choice: 'atOnce' })
  await choose(grace, { choice: 'nothing', ended: true })
  await choose(linus, { choice: 'atOnce', ended: true })
  const request = await open({ input: { path: 'notes/a.txt', content: '' } })
  await untilState(request.id, 'delivered')
  const approval = { decision: 'approve', digest: request.digest, revision: 1 }
  await decideRequest(withMail(), grace.caller, { request: request.id, body: approval })
  await waitUntil(() => mailed().length === 3)
  expect(mailed().toSorted()).toEqual([
    'ada: Approved by Grace: Write "notes/a.txt"',
    'linus: Approved by Grace: Write "notes/a.txt"',
    'linus: Waits for a decision: Write "notes/a.txt"',
  ])
  for (const { message } of server.received) {
    expect(message.text).toMatch(/^Task of Ada, \d{4}-\d\d-\d\d \d\d:\d\d UTC: write the notes\n/)
  }
  const threads = server.received.map(({ message }) => message.references)
  expect(new Set(threads)).toEqual(new Set([`<request-${request.id}@example.com>`]))
  await untilAllDelivered()
})

it('mails again at a reminder and at an escalation, but not those who have voted', async () => {
  await using _relay = openRelay()
  await choose(grace, { choice: 'atOnce' })
  const two = { any: [[{ team: 'platform', count: 2 }]] }
  const request = await open({ quorum: two, input: { path: 'notes/b.txt', content: '' } })
  await untilState(request.id, 'delivered')
  await choose(linus, { choice: 'atOnce' })
  const approval = { decision: 'approve', digest: request.digest, revision: 1 }
  await decideRequest(withMail(), linus.caller, { request: request.id, body: approval })
  await publish('request.reminded', request.id)
  await publish('request.escalated', request.id)
  // The relay may also send what the test before this one left.
  const aboutIt = () => mailed().filter((mail) => mail.includes('notes/b.txt'))
  await waitUntil(() => aboutIt().length === 3)
  expect(aboutIt().toSorted()).toEqual([
    'grace: Still waits for a decision: Write "notes/b.txt"',
    'grace: Waits for a decision: Write "notes/b.txt"',
    'grace: Waits for a decision; more people may decide it now: Write "notes/b.txt"',
  ])
  await untilAllDelivered()
})

// Rules: security.md 22
it('mails a hand-over to the colleague alone, once, and not while they are away', async () => {
  await using _relay = openRelay()
  for (const person of [grace, linus]) await choose(person, { choice: 'atOnce' })
  const request = await open({ input: { path: 'notes/h.txt', content: '' } })
  const aboutIt = () => mailed().filter((mail) => mail.includes('notes/h.txt'))
  const handOver = (by: typeof grace, to: typeof grace, { id } = request) =>
    handOverRequest(withMail(), by.caller, { request: id, to: to.id })
  await waitUntil(() => aboutIt().length === 2)
  await handOver(grace, linus)
  await handOver(grace, linus)
  await waitUntil(() => aboutIt().length === 3)
  expect(aboutIt().at(-1)).toBe(
    'linus: Grace hands it over to you; it waits for a decision: Write "notes/h.txt"',
  )
  await handOver(linus, grace)
  await waitUntil(() => aboutIt().length === 4)
  expect(aboutIt().at(-1)).toMatch(/^grace: Linus hands it over to you/)
  await setAbsence(withMail(), linus.caller, { until: hence(600) })
  const other = await open({ input: { path: 'notes/of-h.txt', content: '' } })
  await handOver(grace, linus, other)
  await publish('request.reminded', other.id)
  const aboutOther = () => mailed().filter((mail) => mail.includes('notes/of-h.txt'))
  await waitUntil(() => aboutOther().some((mail) => mail.startsWith('grace: Still waits')))
  expect(aboutOther().filter((mail) => mail.startsWith('linus'))).toEqual([])
  await endAbsence(withMail(), linus.caller)
  await untilAllDelivered()
})

it('mails at once about a request that would expire before the next digest, also those who chose digests', async () => {
  await choose(grace, { choice: 'digest' })
  await choose(linus, { choice: 'nothing' })
  const inTwelveHours = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16)
  const digest = { at: inTwelveHours, timeZone: 'UTC' }
  await using _relay = openRelay({}, { digest })
  await open({ expiresInMs: 72 * 3_600_000 })
  const urgent = await open({ expiresInMs: 3_600_000, input: { path: 'notes/c.txt', content: '' } })
  await untilState(urgent.id, 'delivered')
  expect(mailed()).toEqual(['grace: Waits for a decision: Write "notes/c.txt"'])
})

it('repeats the same message after a refusal, gives up in the end, and sends it again when somebody resends it', async () => {
  await choose(grace, { choice: 'atOnce' })
  server.refuse = 'message'
  await using _relay = openRelay()
  const request = await open()
  await untilState(request.id, 'dead')
  const dead = await newest(request.id)
  expect(dead).toMatchObject({
    kind: 'email',
    recipient: 'grace@example.com',
    attempts: 3,
    lastStatus: 451,
    lastError: 'the server answered 451 to DATA',
  })
  server.refuse = null
  await resendDelivery(withMail(), olga.caller, { deliveryId: dead?.id ?? '' })
  await untilState(request.id, 'delivered')
  expect(server.received.map(({ message }) => message.messageId)).toEqual([
    `<${dead?.id}@example.com>`,
  ])
})

it('gives up a mail at once if the server does not know the address', async () => {
  await choose(grace, { choice: 'atOnce' })
  server.refuse = 'recipient'
  await using _relay = openRelay({ pausesMs: [3_600_000] })
  const request = await open()
  await untilState(request.id, 'dead')
  expect(await newest(request.id)).toMatchObject({ attempts: 1, lastStatus: 550 })
})

it('delays no decision while the server never answers, and sends no mail that is out of date by then', async () => {
  await choose(grace, { choice: 'atOnce' })
  server.refuse = 'never answers'
  await using _relay = openRelay({ timeoutMs: 1_000, pausesMs: Array(500).fill(1) })
  const request = await open()
  await waitUntil(() => server.connections > 0)
  const denial = { decision: 'deny', digest: request.digest, revision: 1 }
  const decided = await decideRequest(withMail(), linus.caller, {
    request: request.id,
    body: denial,
  })
  expect(decided.state).toBe('denied')
  await untilState(request.id, 'dead')
  expect((await newest(request.id))?.lastError).toBe(
    'the request had ended before it could be sent',
  )
  expect(server.received).toEqual([])
})

// Rules: security.md 22
it('sends no mail to a person who was disabled while it waited', async () => {
  await choose(linus, { choice: 'atOnce' })
  server.refuse = 'message'
  await using _relay = openRelay({ pausesMs: Array(500).fill(20) })
  const request = await open()
  await waitUntil(async () => ((await newest(request.id))?.attempts ?? 0) > 0)
  const person = database.db.updateTable('person').where('id', '=', linus.id)
  try {
    await person.set({ disabled_at: sql`clock_timestamp()` }).execute()
    await untilState(request.id, 'dead')
  } finally {
    await person.set({ disabled_at: null }).execute()
  }
  const { lastError } = (await newest(request.id)) ?? {}
  expect(lastError).toBe('the person is disabled')
  expect(server.received).toEqual([])
})

// Rules: security.md 22
it('sends no mail of a hand-over to a colleague who has the request no longer', async () => {
  await choose(linus, { choice: 'atOnce' })
  await using _relay = openRelay({ pausesMs: Array(500).fill(20) })
  const request = await open()
  await untilState(request.id, 'delivered')
  server.refuse = 'message'
  const handOver = (by: typeof grace, to: typeof grace) =>
    handOverRequest(withMail(), by.caller, { request: request.id, to: to.id })
  await handOver(grace, linus)
  await waitUntil(async () => ((await newest(request.id))?.attempts ?? 0) > 1)
  await handOver(linus, grace)
  await untilState(request.id, 'dead')
  expect((await newest(request.id))?.lastError).toMatch(/^the colleague no longer has the request/)
  server.refuse = null
})

// Rules: security.md 29
it.each([
  ['to an address that was added to the people', { recipient: 'mallory@example.org' }],
  ['that was redirected', { recipient: 'linus@example.com' }],
])('sends no mail %s by SQL', async (_what, { recipient }) => {
  const { db } = database
  const request = await open()
  await sql`insert into person (id, email, name, seal) values (gen_random_uuid(), 'mallory@example.org', 'M',
    (select seal from person where id = ${linus.id})) on conflict do nothing`.execute(db)
  const mail: Mail = {
    to: 'mallory@example.org',
    subject: 'x',
    text: 'x',
    html: 'x',
    thread: null,
    unsubscribe: null,
  }
  const id = newId()
  const row = { id, endpoint: 'email:people', event_id: newId(), recipient }
  const more = { type: 'request.opened', request_id: request.id, body: JSON.stringify(mail) }
  await db
    .insertInto('delivery')
    .values({ ...row, ...more })
    .execute()
  await using _relay = openRelay()
  await untilState(request.id, 'dead')
  expect((await newest(request.id))?.lastError).toBe('its rows were changed in the database')
  expect(server.received).toEqual([])
})
