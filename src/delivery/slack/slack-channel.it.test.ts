import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { sealRows } from '#test/harness/fixtures/keys/test-keys.ts'
import { openSlackServer, slackSettings, type SlackServer } from '#test/harness/slack-server.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { newId } from '#domain/new-id.ts'
import { handOverRequest } from '#services/requests/hand-over-request.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { listDeliveries } from '#services/channels/webhooks/list-deliveries.ts'
import { openChannelDesk, publicUrl } from '../channels/channel-desk.fixture.ts'
import { ChannelRelay } from '../channels/channel-relay.ts'
import { createDeliveries } from '../channels/create-deliveries.ts'
import { SlackClient, SlackFailure, type SlackCall } from './slack-client.ts'
import { slackChannel } from './slack-channel.ts'

let slack: SlackServer

const desk = disposeAfterTests(await openChannelDesk())

beforeEach(async () => {
  slack = await openSlackServer()
})

afterEach(() => slack[Symbol.asyncDispose]())

/** A relay to a Slack workspace of the test alone, which gets events from now on. */
async function relayOf(
  options: { token?: null; keep?: true; pausesMs?: number[] } = {},
): Promise<ChannelRelay> {
  await desk.untilNumbered()
  if (options.keep !== true) {
    await desk.database.db.deleteFrom('delivery').execute()
    await desk.database.db.deleteFrom('endpoint').execute()
  }
  const rules = { allow: [], isDevelopment: true }
  const client =
    options.token === null
      ? null
      : new SlackClient({ token: 'xoxb-test', team: slackSettings.team, url: slack.url, ...rules })
  const channel = slackChannel({ ...desk.service.ctx, settings: slackSettings, client, publicUrl })
  await createDeliveries(desk.service.ctx, channel)
  const { policies, log, seals } = desk.service.ctx
  return new ChannelRelay({
    db: desk.database.db,
    databaseUrl: desk.database.url,
    seals,
    log,
    policies,
    channelsOf: () => [channel],
    times: {
      pausesMs: options.pausesMs ?? [1, 1, 1],
      timeoutMs: 60_000,
      leaseMs: 120_000,
      everyMs: 50,
    },
  })
}

async function untilEnded(count: number) {
  let items: Awaited<ReturnType<typeof listDeliveries>>['items'] = []
  await waitUntil(async () => {
    items = (await listDeliveries(desk.service.ctx, desk.aud.caller, {})).items
    const ended = items.filter(({ state }) => state !== 'pending').length
    return ended >= count || JSON.stringify(items)
  })
  return items
}

it('posts a request once in the channel of its queue: its effect, without a link or mention from its text', async () => {
  await using _relay = await relayOf()
  const input = { path: 'notes/<!here>.md', content: 'nobody’s business' }
  const request = await desk.open('request.opened', { input })
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
  const text = JSON.stringify(posted?.fields)
  expect(text).toContain('Write \\"notes/<!here>.md\\"')
  expect(text).toContain(`${publicUrl}/requests/${request.id}`)
  expect(text).toMatch(/Task of Ada, [^:]+:\d\d UTC: write the notes/)
  expect(text).not.toContain('business')
  expect(text).not.toContain('mrkdwn_in')
})

// Rules: security.md 20
it('posts no task at high risk', async () => {
  await using _relay = await relayOf()
  await desk.open('request.opened', { risk: 'high' })
  await untilEnded(1)
  const text = JSON.stringify(slack.of('chat.postMessage').map(({ fields }) => fields))
  expect(text).toContain('A high-risk call of write_file waits')
  expect(text).toContain('Run started by Ada')
  expect(text).not.toContain('write the notes')
})

it('updates the message when the request is decided elsewhere, and reminds in its thread', async () => {
  await using _relay = await relayOf()
  const request = await desk.open()
  await untilEnded(1)
  await desk.happen('request.reminded', request.id)
  await desk.happen('request.escalated', request.id)
  await untilEnded(3)
  const threads = slack.of('chat.postMessage').slice(1)
  expect(threads.map(({ fields }) => fields['thread_ts'])).toEqual(
    Array(2).fill('1503435956.000001'),
  )
  await decideAs(desk.service.ctx, desk.grace, request, { decision: 'deny' })
  await waitUntil(() => slack.of('chat.update').length > 0)
  const [updated] = slack.of('chat.update')
  expect(updated?.fields).toMatchObject({ channel: 'C0PLATFORM', ts: '1503435956.000001' })
  expect(JSON.stringify(updated?.fields)).toContain('Denied by Grace')
  expect(JSON.stringify(updated?.fields)).not.toContain('countersign_open')
})

// Rules: security.md 22
it('says a hand-over in the thread, and names the colleague in Slack only where they linked it themselves', async () => {
  const { db } = desk.database
  const { ctx } = desk.service
  const linus = await addPerson(db, 'Linus <!channel>', ['platform'], 'linus-slack@example.com')
  await using _relay = await relayOf()
  const request = await desk.open()
  await untilEnded(1)
  const link = { id: newId(), team: slackSettings.team, user_id: 'U0LINUS', person_id: linus.id }
  await db
    .insertInto('slack_link')
    .values({ ...link, seal: ctx.seals.of('slack_link', link) })
    .execute()
  await handOverRequest(ctx, desk.grace.caller, { request: request.id, to: linus.id })
  await untilEnded(3)
  await handOverRequest(ctx, linus.caller, { request: request.id, to: desk.grace.id })
  await untilEnded(5)
  const [, first, second] = slack.of('chat.postMessage').map(({ fields }) => fields)
  for (const fields of [first, second]) {
    expect(fields?.['thread_ts']).toBe('1503435956.000001')
    expect(JSON.stringify(fields?.['text'])).not.toContain('<!')
  }
  expect(JSON.stringify(first)).toContain('U0LINUS')
  expect(JSON.stringify(first)).toMatch(/Grace hands #\d+ over to you/)
  expect(JSON.stringify(second)).toMatch(/hands #\d+ over to Grace/)
  expect(JSON.stringify(second)).not.toContain('"user"')
})

it('repeats a hand-over until the message of the request is posted, and names nobody who has it no longer', async () => {
  const barbara = await addPerson(desk.database.db, 'Barbara', ['platform'])
  let isDown = true
  slack.instead = ({ method }, response) => {
    if (!isDown || method !== 'chat.postMessage') return false
    response.writeHead(500).end()
    return true
  }
  await using _relay = await relayOf({ pausesMs: Array(200).fill(50) })
  const request = await desk.open()
  const handOver = (by: typeof barbara, to: typeof barbara) =>
    handOverRequest(desk.service.ctx, by.caller, { request: request.id, to: to.id })
  await handOver(desk.grace, barbara)
  await waitUntil(async () => {
    const { items } = await listDeliveries(desk.service.ctx, desk.aud.caller, {})
    const one = items.find(({ type }) => type === 'request.handed_over')
    return one?.lastError === 'The message of the request is not posted yet' || 'it was not tried'
  })
  await handOver(barbara, desk.grace)
  isDown = false
  await untilEnded(5)
  const texts = slack.of('chat.postMessage').map(({ fields }) => String(fields['text']))
  expect(texts.filter((text) => text.includes('over to Grace'))).toHaveLength(1)
  expect(texts.filter((text) => text.includes('over to Barbara'))).toEqual([])
})

// Rules: security.md 29
it('does not update a message in another channel that only a changed row names', async () => {
  await using _relay = await relayOf()
  const request = await desk.open()
  await untilEnded(1)
  await desk.database.db.updateTable('slack_message').set({ channel: 'C0GENERAL' }).execute()
  await desk.happen('request.reminded', request.id)
  const ends = await untilEnded(2)
  expect(ends.map(({ lastError }) => lastError)).toContain('its rows were changed in the database')
  expect([...slack.of('chat.postMessage'), ...slack.of('chat.update')]).toHaveLength(1)
})

it('posts nothing about a request that was decided before it could be posted', async () => {
  const request = await desk.add()
  await using _relay = await relayOf()
  await decideAs(desk.service.ctx, desk.grace, request)
  await desk.happen('request.opened', request.id)
  await desk.happen('request.reminded', request.id)
  const ends = await untilEnded(2)
  expect(ends.map(({ type }) => type).toSorted()).toEqual(['request.decided', 'request.reminded'])
  expect(slack.calls).toEqual([])
})

/** Lets a request expire. */
async function expire(id: string): Promise<void> {
  const { db } = desk.database
  await db.updateTable('request').set({ state: 'expired' }).where('id', '=', id).execute()
  await sealRows(db, 'request', 'id', id)
}

it('shows a change that was made while the message was being posted, although its event came before', async () => {
  await using _relay = await relayOf()
  let request: { id: string } | null = null
  slack.instead = ({ method }) => {
    if (method === 'chat.postMessage' && request !== null) {
      void expire(request.id)
    }
    return false
  }
  request = await desk.add()
  await desk.happen('request.opened', request.id)
  await waitUntil(async () => {
    await desk.happen('request.changed', request?.id ?? '')
    return slack.of('chat.update').length > 0
  })
  expect(JSON.stringify(slack.of('chat.update')[0]?.fields)).toContain('nobody decided in time')
})

it('ends an attempt in time however often the request changes, and posts the note of the limit afterwards, once', async () => {
  const { id } = await desk.add()
  const rules = { allow: [], isDevelopment: true, token: 'xoxb-test', url: slack.url }
  const threads: (string | undefined)[] = []
  const ended = new Set<AbortSignal | undefined>()
  const change = async (state: 'expired' | 'pending'): Promise<void> => {
    await setRows(desk.database.db, 'request', { id }, { state })
    await sealRows(desk.database.db, 'request', 'id', id)
  }
  /** Takes all the time that an attempt has for its first update; the next one is too late. */
  class SlowClient extends SlackClient {
    override async post(
      { thread }: { channel: string; thread?: string },
      _: object,
      call: SlackCall,
    ) {
      if (thread !== undefined) call.stopping?.throwIfAborted()
      threads.push(thread)
      if (thread === undefined) await change('expired')
      return { channel: 'C0PLATFORM', ts: '1503435956.000001' }
    }
    override async update(_at: object, _post: object, { stopping }: SlackCall) {
      if (ended.has(stopping)) throw new SlackFailure('too late', {})
      ended.add(stopping)
      if (stopping?.aborted === false)
        await new Promise((resolve) => stopping.addEventListener('abort', resolve))
      if (ended.size === 1) await change('pending')
    }
  }
  const client = new SlowClient({ team: slackSettings.team, ...rules })
  const channel = slackChannel({ ...desk.service.ctx, settings: slackSettings, client, publicUrl })
  const body = JSON.stringify({ requestId: id, isLastOfHour: true })
  const due = { id: newId(), recipient: 'platform', body, type: 'request.opened', requestId: id }
  const attempt = () => channel.send({ ...due, attempts: 1 }, new AbortController().signal, 20)
  expect(await attempt()).toMatchObject({ error: 'too late' })
  expect(threads).toEqual([undefined])
  expect(await attempt()).toMatchObject({ error: null })
  expect(threads).toEqual([undefined, '1503435956.000001'])
})

it('waits as long as Slack asks, and delivers nothing twice meanwhile', async () => {
  await using _relay = await relayOf()
  slack.instead = ({ method }, response) => {
    if (method !== 'chat.postMessage') return false
    response.writeHead(429, { 'retry-after': '3600' }).end('{"ok":false,"error":"ratelimited"}')
    return true
  }
  const before = Date.now()
  await desk.open()
  const due = async () => (await listDeliveries(desk.service.ctx, desk.aud.caller, {})).items[0]
  await waitUntil(async () => (await due())?.lastStatus === 429)
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
    'Slack answered in an unknown format',
  ],
])(
  'tries again and then gives up when %s, and delays no decision',
  async (_what, answer, error) => {
    await using _relay = await relayOf()
    slack.instead = ({ method }, response) => {
      if (method === 'chat.postMessage') answer(response)
      return method === 'chat.postMessage'
    }
    const request = await desk.open()
    const [dead] = await untilEnded(1)
    expect(dead).toMatchObject({ state: 'dead', attempts: 4, kind: 'slack' })
    expect(dead?.lastError).toContain(error)
    const decided = await decideAs(desk.service.ctx, desk.grace, request)
    expect(decided.state).toBe('approved')
  },
)

it('posts nothing with a token of another workspace, or without one, and records why', async () => {
  {
    await using _relay = await relayOf({ token: null })
    await desk.open()
    expect(await untilEnded(1)).toMatchObject([
      { lastError: expect.stringMatching(/^SLACK_TOKEN is not set: .+ restart/) },
    ])
  }
  slack.instead = ({ method }, response) => {
    if (method === 'auth.test') response.end('{"ok":true,"team_id":"T0OTHER"}')
    return method === 'auth.test'
  }
  await using _relay = await relayOf()
  await desk.open()
  const [dead] = await untilEnded(1)
  expect(dead?.lastError).toBe('the token is of the workspace T0OTHER, not T0ACME')
  expect(slack.of('chat.postMessage')).toEqual([])
})

// Rules: security.md 37
it('posts at most 30 requests of a queue in an hour, says so below the last one, and posts no reminder of those that it left out', async () => {
  await desk.untilNumbered()
  const first = await relayOf()
  await first[Symbol.asyncDispose]()
  const unposted = []
  for (let n = 0; n < 33; n += 1) unposted.push(await desk.open())
  await using _relay = await relayOf({ keep: true })
  await untilEnded(30)
  await waitUntil(() => slack.of('chat.postMessage').length >= 31)
  await desk.happen('request.reminded', unposted.at(-1)?.id ?? '')
  await untilEnded(31)
  const posted = slack.of('chat.postMessage')
  const notes = posted.filter(({ fields }) => fields['thread_ts'] !== undefined)
  expect(posted).toHaveLength(31)
  expect(notes.map(({ fields }) => fields['text'])).toEqual([
    `This is the 30th request about platform within an hour: until fewer come, there are no more of them. Everything that waits is in the inbox: ${publicUrl}/`,
  ])
})

// Rules: security.md 37
it('says that there are no more within the hour also if the last request ended before it could be posted', async () => {
  await desk.untilNumbered()
  const first = await relayOf()
  await first[Symbol.asyncDispose]()
  const requests = []
  for (let n = 0; n < 31; n += 1) requests.push(await desk.open())
  // Slack accepts no message until the last of the 30 requests has ended.
  let isBusy = true
  slack.instead = ({ method }, response) => {
    if (!isBusy || method !== 'chat.postMessage') return false
    response.writeHead(429, { 'retry-after': '1' }).end('{"ok":false,"error":"ratelimited"}')
    return true
  }
  await using _relay = await relayOf({ keep: true })
  const made = desk.database.db.selectFrom('delivery').select('id')
  await waitUntil(async () => (await made.execute()).length === 30)
  await expire(requests[29]?.id ?? '')
  isBusy = false
  await untilEnded(30)
  const texts = slack.of('chat.postMessage').map(({ fields }) => JSON.stringify(fields))
  expect(texts.filter((text) => text.includes('within an hour'))).toHaveLength(1)
})
