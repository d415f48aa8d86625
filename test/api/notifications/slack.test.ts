import { sql } from 'kysely'
import { beforeEach, expect, test, onTestFinished, vi } from 'vitest'
import { SlackClient } from '#delivery/slack/slack-client.ts'
import { disablePerson } from '#services/access/disable-person.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addRequest, addRun, type TestRequest } from '../../harness/fixtures/gated-run.ts'
import type { TestPerson } from '../../harness/fixtures/people.ts'
import {
  openSlackServer,
  signedBySlack,
  slackMember,
  slackSettings,
} from '../../harness/slack-server.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { createTestApi, type Reply } from '../test-api.ts'

const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5'
/** Who is who in Slack. */
const users = { grace: 'U0GRACE', linus: 'U0LINUS', ada: 'U0ADA', edsger: 'U0EDSGER' }

let position = 0
/** Slack makes a new one for every press. */
let triggers = 0
let isConfigured = true

const slack = disposeAfterTests(await openSlackServer())
const rules = { allow: [], isDevelopment: true }
const client = new SlackClient({
  token: 'xoxb-test',
  team: slackSettings.team,
  url: slack.url,
  ...rules,
})
const publicUrl = 'http://localhost:4400'
const workspace = { team: slackSettings.team, client, signingSecret, publicUrl }
const api = disposeAfterTests(
  await createTestApi({ slack: async () => (isConfigured ? workspace : null) }),
)
const { ctx, policy } = api.service
const rights = { ...policy.config.rights, managePeople: [{ team: 'operators' }] }
const config = { ...policy.config, rights, slack: slackSettings }
Object.assign(ctx.policies, { inForce: async () => ({ ...policy, config }) })
const run = await addRun(api.service, { startedBy: api.people.ada })
const grace = await api.signIn(api.people.grace)
for (const [name, id] of Object.entries(users)) slackMember(slack, id, `${name}@example.com`)

beforeEach(() => {
  slack.calls.length = 0
  slack.instead = () => false
})

const pending = (more: Parameters<typeof addRequest>[2] = {}): Promise<TestRequest> =>
  addRequest(api.service, run, { position: ++position, ...more })

function post(payload: object, at?: Date, change: Record<string, string> = {}): Promise<Reply> {
  const { body, headers } = signedBySlack(signingSecret, payload, at)
  return api.ask('/v1/slack/interactions', {
    method: 'POST',
    rawBody: body,
    headers: { ...headers, ...change },
  })
}

/** A press of the message's button, in the shape that Slack documents for `block_actions`. */
const pressing = (userId: string, requestId: string, more: object = {}) => ({
  type: 'block_actions',
  user: { id: userId, username: 'anybody', name: 'grace', team_id: slackSettings.team },
  api_app_id: 'A0APP',
  token: 'a-verification-token-that-is-not-used',
  container: { type: 'message', message_ts: '1503435956.000001', channel_id: 'C0PLATFORM' },
  trigger_id: `398738663015.47445629121.${String((triggers += 1)).padStart(32, '0')}`,
  team: { id: slackSettings.team, domain: 'acme' },
  enterprise: null,
  is_enterprise_install: false,
  channel: { id: 'C0PLATFORM', name: 'approvals' },
  response_url: 'https://hooks.slack.com/actions/T0ACME/1/x',
  actions: [
    {
      type: 'button',
      action_id: 'countersign_open',
      block_id: 'x',
      text: { type: 'plain_text', text: 'Look and decide', emoji: false },
      value: requestId,
      action_ts: '1503435957.0',
    },
  ],
  ...more,
})

/** The modal's form, sent: `view_submission`. */
const submitting = (
  userId: string,
  metadata: string,
  filled: { decision: string | null; reason?: string },
) => ({
  type: 'view_submission',
  team: { id: slackSettings.team, domain: 'acme' },
  user: { id: userId, username: 'anybody', name: 'grace', team_id: slackSettings.team },
  api_app_id: 'A0APP',
  view: {
    id: 'V0VIEW',
    team_id: slackSettings.team,
    type: 'modal',
    callback_id: 'countersign_decide',
    private_metadata: metadata,
    hash: '156772938.1827394',
    state: {
      values: {
        decision: {
          decision: {
            type: 'radio_buttons',
            selected_option: filled.decision === null ? null : { value: filled.decision },
          },
        },
        reason: { reason: { type: 'plain_text_input', value: filled.reason ?? null } },
      },
    },
  },
})

/** Presses the button, and returns the modal that the service sent to Slack. */
async function opened(userId: string, requestId: string) {
  slack.calls.length = 0
  expect(await post(pressing(userId, requestId))).toMatchObject({ status: 200, text: '' })
  const [opening] = slack.of('views.open')
  return opening?.fields['view']
}

/**
 * Links a user of Slack as a person would: the button, the link that it shows, and confirming it
 * signed in.
 */
async function link(userId: string, person: TestPerson): Promise<Reply> {
  const request = await pending()
  const view = await opened(userId, request.id)
  const url = new URL(view.blocks[1].elements[0].url)
  expect(url.pathname).toBe('/account')
  const code = url.hash.replace('#slack=', '')
  return (await api.signIn(person)).post('/v1/slack/links', { code })
}

async function stateOf(request: TestRequest): Promise<string> {
  return (await grace.get(`/v1/requests/${request.id}`)).body.state
}

const errorOf = (reply: Reply): string => {
  expect(reply).toMatchObject({ status: 200, body: { response_action: 'errors' } })
  return reply.body.errors.decision
}

for (const name of ['grace', 'linus', 'ada'] as const) await link(users[name], api.people[name])

// Rules: security.md 12
test('the button opens everything that a decision is about, and the form decides as on every channel', async () => {
  const request = await pending()
  const view = await opened(users.grace, request.id)
  const text = JSON.stringify(view)
  for (const part of [request.digest, 'revision 1', 'hello', 'zone notes: write asks', 'Ada']) {
    expect(text).toContain(part)
  }
  expect(text).not.toContain('mrkdwn')
  const filled = { decision: 'approve', reason: 'read it' }
  const reply = await post(submitting(users.grace, view.private_metadata, filled))
  expect(reply).toMatchObject({ status: 200, body: { response_action: 'update' } })
  const { body } = await grace.get(`/v1/requests/${request.id}`)
  expect(body).toMatchObject({
    state: 'approved',
    decisions: [{ person: { name: 'Grace' }, decision: 'approve', reason: 'read it' }],
  })
  const audited = await rowsOf(
    api.database.db,
    'audit_event',
    { type: 'decision.recorded', request_id: request.id },
    'document',
  )
  expect(audited.map(({ document }) => JSON.parse(document))).toMatchObject([{ channel: 'slack' }])
})

// Rules: security.md 12
test.each([
  ['a forged signature', undefined, { 'x-slack-signature': `v0=${'0'.repeat(64)}` }],
  ['no signature', undefined, { 'x-slack-signature': '' }],
  ['one of six minutes ago', new Date(Date.now() - 360_000), {}],
])('%s decides nothing, and is in the trail', async (_what, at, change) => {
  await sql`truncate refused_attempt`.execute(api.database.db)
  const earlier = await refusals()
  const request = await pending()
  const metadata = JSON.stringify({ requestId: request.id, revision: 1, digest: request.digest })
  const form = submitting(users.grace, metadata, { decision: 'approve' })
  expect(await post(form, at, change)).toMatchObject({
    status: 401,
    body: { code: 'unauthenticated' },
  })
  expect(await stateOf(request)).toBe('pending')
  expect(await refusals()).toEqual([...earlier, forged])
})

const forged = {
  actor: { type: 'system', name: 'slack' },
  detail: { attempt: 'postSlackInteraction', code: 'unauthenticated' },
}

async function refusals(): Promise<unknown[]> {
  const { rows } = await sql<{ document: string }>`
    select document from audit_event where type = 'attempt.refused' order by at, id
  `.execute(api.database.db)
  return rows.map(({ document }) => {
    const { actor, detail } = JSON.parse(document)
    return { actor, detail }
  })
}

// Rules: security.md 42
test.each([-10, 10])(
  'a clock of the host that is %i minutes off neither refuses a message of now nor accepts an old one',
  async (minutes) => {
    const request = await pending()
    const now = Date.now()
    const at = (n: number) => new Date(now + n * 60_000)
    vi.useFakeTimers({ toFake: ['Date'], now: at(minutes) })
    onTestFinished(() => void vi.useRealTimers())
    expect((await post(pressing(users.grace, request.id), at(0))).status).toBe(200)
    for (const n of [-6, 6, minutes]) {
      expect((await post(pressing(users.grace, request.id), at(n))).status).toBe(401)
    }
  },
)

test('a message that was handled once is not handled again, and the repetition is in the trail', async () => {
  await sql`truncate refused_attempt`.execute(api.database.db)
  const earlier = await refusals()
  const request = await pending()
  const at = new Date()
  const form = pressing(users.grace, request.id)
  expect((await post(form, at)).status).toBe(200)
  expect(await post(form, at)).toMatchObject({ status: 401 })
  expect(slack.of('views.open')).toHaveLength(1)
  expect(await refusals()).toEqual([...earlier, forged])
})

test('a digest or revision that is not current, and a decision made elsewhere, are refused in the modal', async () => {
  const request = await pending()
  const view = await opened(users.grace, request.id)
  const metadata = JSON.parse(view.private_metadata)
  const send = (change: object) =>
    post(
      submitting(users.grace, JSON.stringify({ ...metadata, ...change }), { decision: 'approve' }),
    )
  expect(errorOf(await send({ digest: `sha256:${'0'.repeat(64)}` }))).toContain('digest')
  expect(errorOf(await send({ revision: 2 }))).toContain('changed since')
  const nothing = submitting(users.grace, view.private_metadata, { decision: null })
  expect(errorOf(await post(nothing))).toContain('"approve" or "deny"')
  expect(await stateOf(request)).toBe('pending')
  const linus = await api.signIn(api.people.linus)
  await linus.post(`/v1/requests/${request.id}/decisions`, {
    decision: 'deny',
    digest: request.digest,
    revision: 1,
  })
  errorOf(await send({}))
  expect(await stateOf(request)).toBe('denied')
  expect(JSON.stringify(await opened(users.grace, request.id))).toContain('already denied')
})

// Rules: product.md 18
test('a person behind a request gets no form, and decides nothing with one', async () => {
  const own = await addRun(api.service, { startedBy: api.people.linus })
  const request = await addRequest(api.service, own, { position: 1 })
  const view = await opened(users.linus, request.id)
  expect(view.callback_id).toBeUndefined()
  const metadata = JSON.stringify({ requestId: request.id, revision: 1, digest: request.digest })
  errorOf(await post(submitting(users.linus, metadata, { decision: 'approve' })))
  // A request does not exist for people who are neither behind it nor in its queue.
  const hidden = await addRequest(api.service, own, { position: 2 })
  expect(JSON.stringify(await opened(users.ada, hidden.id))).toContain('There is no request')
  expect(await stateOf(request)).toBe('pending')
})

// Rules: security.md 15, 20
test.each([
  ['high risk', { risk: 'high' as const }, 'High risk'],
  [
    'what looks like a secret',
    { input: { path: 'notes/x.md', content: 'password=correct-horse-battery' } },
    'secret',
  ],
  ['what is too long', { input: { path: 'notes/x.md', content: 'x'.repeat(20_000) } }, 'too long'],
  ['a question', { kind: 'question' as const }, 'its page'],
])('%s is decided on the page: the modal says so, with the link', async (_what, more, why) => {
  const request = await pending(more)
  const view = await opened(users.grace, request.id)
  const text = JSON.stringify(view)
  expect(text).toContain(why)
  expect(text).toContain(`http://localhost:4400/requests/${request.id}`)
  expect(text).not.toContain('correct-horse')
  expect(view.submit).toBeUndefined()
  const metadata = JSON.stringify({ requestId: request.id, revision: 1, digest: request.digest })
  if ('risk' in more) {
    const form = submitting(users.grace, metadata, { decision: 'approve', reason: 'sure' })
    expect(errorOf(await post(form))).toContain('shown')
    expect(await stateOf(request)).toBe('pending')
  }
})

// Rules: product.md 19
test.each([
  ['a bot', { is_bot: true }],
  ['a guest', { is_restricted: true }],
  ['a single-channel guest', { is_ultra_restricted: true }],
  ['somebody who is gone', { deleted: true }],
  ['somebody of another workspace', { team_id: 'T0OTHER' }],
  ['an address that nobody has verified', { is_email_confirmed: false }],
  ['another address than ours', { profile: { email: 'somebody@example.com' } }],
])('%s decides nothing, though linked before', async (_what, change) => {
  const request = await pending()
  const metadata = JSON.stringify({ requestId: request.id, revision: 1, digest: request.digest })
  slackMember(slack, users.grace, 'grace@example.com', change)
  try {
    errorOf(await post(submitting(users.grace, metadata, { decision: 'approve' })))
    expect(await stateOf(request)).toBe('pending')
  } finally {
    slackMember(slack, users.grace, 'grace@example.com')
  }
})

// Rules: security.md 33
test('a decision by a user whom nobody here has confirmed as their own is recorded', async () => {
  const request = await pending()
  const metadata = JSON.stringify({ requestId: request.id, revision: 1, digest: request.digest })
  const form = submitting(users.edsger, metadata, { decision: 'approve' })
  expect(errorOf(await post(form))).toContain('Link your account once')
  const of = { type: 'session.refused' }
  const events = await rowsOf(api.database.db, 'audit_event', of, 'document')
  const detail = { method: 'slack', why: 'not_linked', team: slackSettings.team }
  expect(events.map(({ document }) => JSON.parse(document).detail)).toContainEqual({
    ...detail,
    slackUser: users.edsger,
  })
})

test('a user of another workspace in a shared channel is refused before Slack is asked who it is', async () => {
  const request = await pending()
  const stranger = { user: { id: users.grace, team_id: 'T0OTHER' } }
  await post(pressing(users.grace, request.id, stranger))
  expect(slack.of('users.info')).toEqual([])
  expect(JSON.stringify(slack.of('views.open'))).toContain('Only people of the workspace')
})

test('a link needs the very person: another address, a used code and a stranger’s name link nobody', async () => {
  // Somebody in Slack who calls themselves Edsger, with an address of their own.
  slackMember(slack, 'U0MALLORY', 'mallory@example.com', { name: 'edsger', real_name: 'Edsger' })
  expect(await link('U0MALLORY', api.people.edsger)).toMatchObject({
    status: 403,
    body: { code: 'not_eligible' },
  })
  const request = await pending()
  const code = new URL(
    (await opened(users.edsger, request.id)).blocks[1].elements[0].url,
  ).hash.slice(7)
  const edsger = await api.signIn(api.people.edsger)
  expect(await edsger.post('/v1/slack/links', { code })).toMatchObject({ status: 201 })
  expect(await edsger.post('/v1/slack/links', { code })).toMatchObject({ status: 404 })
  const [linked] = (await edsger.get('/v1/slack/links')).body.items
  expect(linked).toMatchObject({ team: slackSettings.team, userId: users.edsger })
  expect(await grace.delete(`/v1/slack/links/${linked.id}`)).toMatchObject({ status: 404 })
  const { db } = api.database
  const row = await db.selectFrom('slack_link').selectAll().where('id', '=', linked.id).execute()
  expect(await edsger.delete(`/v1/slack/links/${linked.id}`)).toMatchObject({ status: 200 })
  expect(JSON.stringify(await opened(users.edsger, request.id))).toContain('Link your account once')
  // The link does not work again when its row is put back into the database.
  await db.insertInto('slack_link').values(row).execute()
  expect(JSON.stringify(await opened(users.edsger, request.id))).toContain('Link your account once')
})

test('nothing is decided while Slack does not say who somebody is', async () => {
  const request = await pending()
  const metadata = JSON.stringify({ requestId: request.id, revision: 1, digest: request.digest })
  slack.instead = (_asked, response) => {
    response.writeHead(503).end()
    return true
  }
  expect(errorOf(await post(submitting(users.grace, metadata, { decision: 'approve' })))).toContain(
    'nothing was decided',
  )
  expect(await post(pressing(users.grace, request.id))).toMatchObject({ status: 200 })
  expect(await stateOf(request)).toBe('pending')
})

test('the address for Slack does not exist without a workspace in the policy', async () => {
  isConfigured = false
  expect(await post({})).toMatchObject({ status: 404, body: { code: 'not_found' } })
  isConfigured = true
})

// Rules: product.md 18
test('a person whom the project no longer names sees nothing in Slack, until it names them again', async () => {
  const request = await pending()
  const see = async (): Promise<string> => JSON.stringify(await opened(users.ada, request.id))
  expect(await see()).toContain('Request #')
  const { inForce } = ctx.policies
  const people = config.people.filter(({ email }) => email !== 'ada@example.com')
  Object.assign(ctx.policies, {
    inForce: async () => ({ ...policy, config: { ...config, people } }),
  })
  try {
    expect(await see()).toContain('Link your account once')
  } finally {
    Object.assign(ctx.policies, { inForce })
  }
  expect(await see()).toContain('Request #')
})

// Rules: product.md 18
test('a person who is disabled decides nothing in Slack from then on', async () => {
  const request = await pending()
  const view = await opened(users.linus, request.id)
  await disablePerson(api.service.ctx, api.people.olga.caller, { email: 'linus@example.com' })
  const form = submitting(users.linus, view.private_metadata, { decision: 'approve' })
  errorOf(await post(form))
  expect(await stateOf(request)).toBe('pending')
})
