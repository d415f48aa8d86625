import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDatabase, type Db } from '#store/database.ts'
import { brokenInvariants } from '../harness/fixtures/broken-invariants.ts'
import { fakeClock, type FakeClock } from '../harness/fixtures/fake-clock.ts'
import { Installation } from '../harness/installation/installation.ts'
import type { TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { rowsOf } from '../harness/fixtures/rows.ts'
import { chaosProject } from './chaos/chaos-project.ts'

const hour = 3_600_000
const day = 24 * hour
const talker = `---
name: talker
description: Answers
model: script:scripts/talker.yaml
restFor: 22d
zones: [{ name: all, root: ., mode: ro, approval: { read: preApproved } }]
---
Answer.
`
const withinMs = 240_000
let db: Db
let clock: FakeClock
let installation: Installation

beforeAll(async () => {
  const project = chaosProject()
  const config = project['countersign.yaml'] ?? ''
  const waiting = `queues:
  platform:
    team: platform
    remindAfter: [1h, 2h, 48h]
    escalate: [{ after: 4h, addTeams: [stand_ins] }]
    expiresAfter: 72h
`
  installation = await Installation.start({
    ...project,
    'workers/talker.md': talker,
    'scripts/talker.yaml':
      'turns: [{ text: One }, { text: Two }, { text: Three }, { text: Four }]\n',
    'countersign.yaml': config
      .replace('queues: { platform: { team: platform } }\n', waiting)
      .replace('teams: {', 'teams: { stand_ins: { members: [linus@example.com] },'),
  })
  db = await connect()
  clock = await fakeClock(db)
  // Connections from before the clock do not go by it.
  await installation.restart()
})
afterAll(async () => {
  await db.destroy()
  await installation[Symbol.asyncDispose]()
})

async function connect(): Promise<Db> {
  const url = await installation.databaseUrl()
  return connectDatabase({ url, poolSize: 2, applicationName: 'test' })
}

/** Stops everything, for so long by the database's clock. */
async function beDown(ms: number): Promise<void> {
  await clock.passWhileDown(ms)
  await installation.restart()
}

async function eventCounts(): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('audit_event')
    .select(({ fn }) => ['type', fn.countAll<string>().as('count')])
    .where('request_id', 'is not', null)
    .groupBy('type')
    .execute()
  return Object.fromEntries(rows.map(({ type, count }) => [type, Number(count)]))
}

async function untilTold(expected: Record<string, number>): Promise<void> {
  await waitUntil(
    async () => {
      const events = await eventCounts()
      const isSo = Object.entries(expected).every(([type, count]) => events[type] === count)
      return isSo || JSON.stringify(events)
    },
    { withinMs, everyMs: 200 },
  )
}

// Rules: product.md 12, 18
test('after days of downtime, with the real Temporal, each due step happens once, and each expired request lists the steps that it missed', async () => {
  const ada = await installation.signIn('ada@example.com')
  for (let run = 0; run < 3; run += 1) await ada.post('/v1/runs', { worker: 'clerk', input: 'go' })
  await untilTold({ 'request.opened': 3 })

  // Temporal's own timers do not know of it: the reconciler finds what is due.
  await clock.pass(1.5 * hour)
  await untilTold({ 'request.reminded': 3 })
  await beDown(3 * hour)
  await untilTold({ 'request.reminded': 6, 'request.escalated': 3 })

  const linus = await installation.signIn('linus@example.com')
  const list = await linus.get('/v1/requests?state=pending')
  const [first] = list.body['items'] as { id: string; digest: string; revision: number }[]
  const decision = { decision: 'approve', digest: first?.digest ?? '', revision: first?.revision }
  const answer = await linus.post(`/v1/requests/${first?.id}/decisions`, decision)
  expect(answer.body).toMatchObject({ state: 'approved' })
  await untilTold({ 'execution.finished': 1 })

  await beDown(120 * hour)
  await untilTold({ 'request.expired': 2 })
  const open = () => db.selectFrom('run').select('id').where('ended_at', 'is', null).execute()
  await waitUntil(async () => (await open()).length === 0, { withinMs, everyMs: 200 })
  expect(await eventCounts()).toMatchObject({
    'request.reminded': 6,
    'request.escalated': 3,
    'request.expired': 2,
    'permit.issued': 1,
    'execution.started': 1,
  })
  const expired = await rowsOf(db, 'audit_event', { type: 'request.expired' }, 'document')
  for (const { document } of expired) {
    expect(JSON.parse(document).detail.missed).toEqual([{ kind: 'remind', afterMs: 48 * hour }])
  }
  expect(await brokenInvariants(db)).toEqual([])
})

// Rules: product.md 28
test('a conversation that rests for three weeks, over restarts, answers each message once and in order, and ends after its time', async () => {
  const as = (): Promise<TestSession> => installation.signIn('ada@example.com')
  const input = { worker: 'talker', input: 'Begin', conversation: true }
  const id = String((await (await as()).post('/v1/runs', input)).body['id'])
  const say = async (text: string): Promise<void> => {
    const answer = await (await as()).post(`/v1/runs/${id}/messages`, { text })
    expect(answer.status).toBe(201)
  }
  const words = async (): Promise<(string | undefined)[]> => {
    const { body } = await (await as()).get(`/v1/runs/${id}/transcript`)
    return (body['items'] as { text?: string }[]).map(({ text }) => text)
  }
  const untilSaid = (last: string): Promise<void> =>
    waitUntil(async () => (await words()).at(-1) === last, { withinMs, everyMs: 200 })

  await untilSaid('One')
  await clock.pass(10 * day)
  await beDown(11 * day)
  const gone = await installation.killNine('temporal-worker')
  await say('After three weeks')
  await installation.untilBack('temporal-worker', gone)
  await untilSaid('Two')
  await clock.pass(21 * day)
  await say('After three more')
  await untilSaid('Three')
  expect(await words()).toEqual([
    'Begin',
    'One',
    'After three weeks',
    'Two',
    'After three more',
    'Three',
  ])

  await clock.pass(23 * day)
  const state = async (): Promise<unknown> =>
    (await (await as()).get(`/v1/runs/${id}`)).body['state']
  await waitUntil(async () => (await state()) === 'completed', { withinMs, everyMs: 200 })
  expect(await brokenInvariants(db)).toEqual([])
})
