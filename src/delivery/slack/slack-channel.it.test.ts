import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { addRequest, addRun, type TestRun } from '../../../test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '../../../test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '../../../test/harness/fixtures/test-service.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/postgres.ts'
import { openSlackServer, type SlackServer } from '../../../test/harness/slack-server.ts'
import { waitUntil } from '../../../test/harness/wait-until.ts'
import type { StreamEventType } from '../../domain/stream-event.ts'
import type { SlackSettings } from '../../policy/policy.ts'
import { decideRequest } from '../../services/decisions/decide-request.ts'
import { listDeliveries } from '../../services/webhooks/list-deliveries.ts'
import { writeRecords } from '../../store/records.ts'
import { ChannelRelay } from '../channels/channel-relay.ts'
import { tellChannel } from '../channels/tell-channels.ts'
import { EventSequencer } from '../event-sequencer.ts'
import { SlackClient } from './slack-client.ts'
import { slackChannel } from './slack-channel.ts'

const publicUrl = 'https://countersign.example.com'
const within = { withinMs: 90_000 }
const settings: SlackSettings = {
  team: 'T0ACME',
  tokenFrom: 'SLACK_TOKEN',
  signingSecretFrom: 'SLACK_SECRET',
  channels: new Map([['platform', '#approvals']]),
  source: 'countersign.yaml:1',
}

let database: TestDatabase
let service: TestService
let sequencer: EventSequencer
let run: TestRun
let grace: TestPerson
let aud: TestPerson
let slack: SlackServer
let position = 0

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  const ada = await addPerson(database.db, 'Ada', [])
  grace = await addPerson(database.db, 'Grace', ['platform'])
  aud = await addPerson(database.db, 'Aud', ['auditors'])
  run = await addRun(service, { startedBy: ada })
  const { log } = service.ctx
  sequencer = new EventSequencer({ db: database.db, databaseUrl: database.url, log })
})
afterAll(async () => {
  await sequencer[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})
beforeEach(async () => {
  slack = await openSlackServer()
})
afterEach(() => slack[Symbol.asyncDispose]())

/** The relay with the workspace alone; each test has a workspace of its own, told from now on. */
async function relayOf(options: { token?: null } = {}): Promise<ChannelRelay> {
  await waitUntil(async () => {
    const waiting = database.db.selectFrom('event').select('id').where('sequence', 'is', null)
    return (await waiting.execute()).length === 0
  }, within)
  await database.db.deleteFrom('delivery').execute()
  await database.db.deleteFrom('endpoint').execute()
  const rules = { allow: [], isDevelopment: true }
  const client =
    options.token === null
      ? null
      : new SlackClient({ token: 'xoxb-test', team: settings.team, url: slack.url, ...rules })
  const channel = slackChannel({ db: database.db, settings, client, publicUrl })
  await tellChannel(database.db, channel)
  const { policies, log } = service.ctx
  return new ChannelRelay({
    db: database.db,
    databaseUrl: database.url,
    log,
    policies,
    channelsOf: () => [channel],
    times: { pausesMs: [1, 1, 1], timeoutMs: 60_000, leaseMs: 120_000, everyMs: 50 },
  })
}

async function happen(type: StreamEventType, requestId: string): Promise<void> {
  const events = [{ type, subject: { requestId, runId: run.id } }]
  await database.db.transaction().execute((tx) => writeRecords(tx, { events }, null))
}

async function open(more: Parameters<typeof addRequest>[2] = {}) {
  position += 1
  const request = await addRequest(service, run, { position, ...more })
  await happen('request.opened', request.id)
  return request
}

async function untilEnded(count: number) {
  let items: Awaited<ReturnType<typeof listDeliveries>>['items'] = []
  await waitUntil(async () => {
    items = (await listDeliveries(service.ctx, aud.caller, {})).items
    const ended = items.filter(({ state }) => state !== 'pending').length
    return ended >= count || JSON.stringify(items)
  }, within)
  return items
}

it('posts a request once in the channel of its queue: its effect, with no link or mention in it', async () => {
  await using _relay = await relayOf()
  const input = { path: 'notes/<!here>.md', content: 'nobody’s business' }
  const request = await open({ input })
  await untilEnded(1)
  const [posted] = slack.of('chat.postMessage')
  expect(slack.of('chat.postMessage')).toHaveLength(1)
  expect(posted?.token).toBe('xoxb-test')
  expect(posted?.fields).toMatchObject({
    channel: '#approvals',
    link_names: 'false',
    unfurl_links: 'false',
    parse: 'none',
  })
  const said = JSON.stringify(posted?.fields)
  expect(said).toContain('Write \\"notes/<!here>.md\\"')
  expect(said).toContain(`${publicUrl}/requests/${request.id}`)
  expect(said).not.toContain('business')
  expect(said).not.toContain('mrkdwn_in')
})

it('writes the message anew when it is decided elsewhere, and reminds in its thread', async () => {
  await using _relay = await relayOf()
  const request = await open()
  await untilEnded(1)
  await happen('request.reminded', request.id)
  await happen('request.escalated', request.id)
  await untilEnded(3)
  const threads = slack.of('chat.postMessage').slice(1)
  expect(threads.map(({ fields }) => fields['thread_ts'])).toEqual(
    Array(2).fill('1503435956.000001'),
  )
  await decideRequest(service.ctx, grace.caller, {
    request: request.id,
    body: { decision: 'deny', digest: request.digest, revision: 1 },
  })
  await waitUntil(() => slack.of('chat.update').length > 0, within)
  const [updated] = slack.of('chat.update')
  expect(updated?.fields).toMatchObject({ channel: 'C0PLATFORM', ts: '1503435956.000001' })
  expect(JSON.stringify(updated?.fields)).toContain('Denied by Grace')
  expect(JSON.stringify(updated?.fields)).not.toContain('countersign_open')
})

it('says nothing of what was decided before it could be posted', async () => {
  const request = await addRequest(service, run, { position: ++position })
  await using _relay = await relayOf()
  await decideRequest(service.ctx, grace.caller, {
    request: request.id,
    body: { decision: 'approve', digest: request.digest, revision: 1 },
  })
  await happen('request.opened', request.id)
  await untilEnded(2)
  expect(slack.asked).toEqual([])
})

it('writes what changed while it was being posted, though that was told of before', async () => {
  await using _relay = await relayOf()
  let request: { id: string } | null = null
  slack.instead = ({ method }) => {
    if (method === 'chat.postMessage' && request !== null) {
      const { id } = request
      void database.db
        .updateTable('request')
        .set({ state: 'expired' })
        .where('id', '=', id)
        .execute()
    }
    return false
  }
  position += 1
  request = await addRequest(service, run, { position })
  await happen('request.opened', request.id)
  await waitUntil(async () => {
    await happen('request.changed', request?.id ?? '')
    return slack.of('chat.update').length > 0
  }, within)
  expect(JSON.stringify(slack.of('chat.update')[0]?.fields)).toContain('nobody decided in time')
})

it('waits as long as Slack asks, and delivers nothing twice meanwhile', async () => {
  await using _relay = await relayOf()
  slack.instead = ({ method }, response) => {
    if (method !== 'chat.postMessage') return false
    response.writeHead(429, { 'retry-after': '3600' }).end('{"ok":false,"error":"ratelimited"}')
    return true
  }
  const before = Date.now()
  await open()
  const due = async () => (await listDeliveries(service.ctx, aud.caller, {})).items[0]
  await waitUntil(async () => (await due())?.lastStatus === 429, within)
  expect(Number((await due())?.nextAttemptAt) - before).toBeGreaterThan(3_000_000)
  expect(slack.of('chat.postMessage')).toHaveLength(1)
})

it.each([
  [
    'Slack is down',
    (response: ServerResponse) => void response.writeHead(503).end('down'),
    'Slack answered 503',
  ],
  ['it closes', (response: ServerResponse) => void response.destroy(), ''],
  [
    'the channel is not there',
    (response: ServerResponse) => void response.end('{"ok":false,"error":"channel_not_found"}'),
    'Slack answered channel_not_found',
  ],
  [
    'it answers what is no JSON',
    (response: ServerResponse) => void response.end('<html>token=abc</html>'),
    'Slack answered what is no answer of its',
  ],
])(
  'tries again and then gives up when %s, and delays no decision',
  async (_what, answer, error) => {
    await using _relay = await relayOf()
    slack.instead = ({ method }, response) => {
      if (method === 'chat.postMessage') answer(response)
      return method === 'chat.postMessage'
    }
    const request = await open()
    const [dead] = await untilEnded(1)
    expect(dead).toMatchObject({ state: 'dead', attempts: 4, kind: 'slack' })
    expect(dead?.lastError).toContain(error)
    const decided = await decideRequest(service.ctx, grace.caller, {
      request: request.id,
      body: { decision: 'approve', digest: request.digest, revision: 1 },
    })
    expect(decided.state).toBe('approved')
  },
)

it('posts nothing with a token of another workspace, or without one, and says so', async () => {
  {
    await using _relay = await relayOf({ token: null })
    await open()
    expect(await untilEnded(1)).toMatchObject([{ lastError: 'SLACK_TOKEN is not set' }])
  }
  slack.instead = ({ method }, response) => {
    if (method === 'auth.test') response.end('{"ok":true,"team_id":"T0OTHER"}')
    return method === 'auth.test'
  }
  await using _relay = await relayOf()
  await open()
  const [dead] = await untilEnded(1)
  expect(dead?.lastError).toBe('the token is of the workspace T0OTHER, not T0ACME')
  expect(slack.of('chat.postMessage')).toEqual([])
})
