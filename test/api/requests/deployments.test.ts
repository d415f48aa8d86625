import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { callbackChannel } from '#delivery/callbacks/callback-channel.ts'
import { ChannelRelay } from '#delivery/channels/channel-relay.ts'
import { consumeDeploymentPermit } from '#services/deployments/consume-deployment-permit.ts'
import { putContent } from '#store/content/content.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { rowsOf, setRows } from '../../harness/fixtures/rows.ts'
import { openDeskApi } from '../desk-api.ts'
import { createProgram } from '../program.ts'
import type { Reply } from '../test-api.ts'
import { decideAsShown } from './as-shown.ts'
import {
  accounts,
  appId,
  deploymentEvent,
  openGitHub,
  repositoryId,
  signedByGitHub,
  type GitHubServer,
} from './github-server.ts'

const secrets: Record<string, string> = {}
let github: GitHubServer

const api = disposeAfterTests(await openDeskApi(secrets))
const ada = await api.signIn('ada')
const grace = await api.signIn('grace')
const olga = await api.signIn('olga')
secrets['SHOP_KEY'] = (await createProgram(api, olga)).key

beforeEach(async () => {
  github = await openGitHub()
  secrets['SHOP_SECRET'] = github.secret
  secrets['SHOP_APP_KEY'] = github.privateKey
  await activate()
})

async function activate(more = '', repository = repositoryId): Promise<void> {
  await api.desk.activate({
    'countersign.yaml': `${deskConfig}${more}deployments:
  shop:
    secret: "\${SHOP_SECRET}"
    key: "\${SHOP_KEY}"
    appId: ${appId}
    privateKey: "\${SHOP_APP_KEY}"
    repositories: { acme/shop: ${repository} }
    people: { 101: ada@example.com, 102: linus@example.com, 103: nobody }
    apiUrl: ${github.apiUrl}
`,
  })
}
afterEach(() => github[Symbol.asyncDispose]())

async function send(
  event: unknown,
  more: { name?: string; headers?: Record<string, string> } = {},
) {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const response = await fetch(`${api.url}/v1/deployments/${more.name ?? 'shop'}`, {
    method: 'POST',
    headers: { ...signedByGitHub(github.secret, body), ...more.headers },
    body,
  })
  // eslint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  return { status: response.status, body: (await response.json()) as any }
}

const open = async (more?: Record<string, unknown>): Promise<Reply['body']> => {
  const reply = await send(deploymentEvent(github, more))
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return (await grace.get(`/v1/requests/${reply.body.requestId}`)).body
}

const decide = (request: Reply['body'], decision: string, by = grace): Promise<Reply> =>
  decideAsShown(by, request, decision)

/** An event that an account caused. */
const by = (creator: { readonly id: number; readonly login: string }) => ({
  sender: creator,
  deployment: { id: 1, sha: 'd'.repeat(40), ref: 'main', creator },
})

/** The relay of an API process. Disposing it stops the process. */
function relay(): ChannelRelay {
  const { database, api: ctx } = api.desk
  const rules = { allow: [], isDevelopment: true }
  const deployments = {
    ctx,
    publicUrl: 'https://approve.example.com',
    secretOf: (variable: string) => secrets[variable],
  }
  return new ChannelRelay({
    db: database.db,
    databaseUrl: database.url,
    seals: ctx.seals,
    log: ctx.log,
    policies: ctx.policies,
    channelsOf: () => [
      callbackChannel({ db: database.db, seals: ctx.seals, ...rules, deployments }),
    ],
    times: { pausesMs: [1, 1, 1], timeoutMs: 30_000, leaseMs: 120_000, everyMs: 50 },
  })
}

/** Why nothing came, for the message of a test that fails. */
async function deliveries(): Promise<string> {
  const { db } = api.desk.database
  return JSON.stringify(
    await db.selectFrom('delivery').select(['state', 'attempts', 'last_error']).execute(),
  )
}

const untilReviews = (count = 1, run = '') =>
  waitUntil(
    () =>
      github.reviews().filter(({ path }) => path.includes(`/${run}`)).length >= count ||
      deliveries(),
  )
const outcomeIs = (id: string, outcome: string) =>
  waitUntil(async () => {
    const { body } = await grace.get(`/v1/requests/${id}`)
    return body.external.outcome?.state === outcome || deliveries()
  })

// Rules: product.md 46, 47
describe('a deployment of GitHub', () => {
  test('goes on once another person approved exactly this commit for this environment', async () => {
    await using _relay = relay()
    const request = await open()
    expect(request).toMatchObject({
      state: 'pending',
      tool: 'github_deployment',
      risk: 'high',
      input: { repository: 'acme/shop', environment: 'production', commit: 'c'.repeat(40) },
      external: { owner: { name: 'Olga' }, onBehalfOf: { name: 'Ada' } },
    })
    expect((await decide(request, 'approve', ada)).body.code).toBe('not_eligible')
    expect(github.receiver.received).toEqual([])
    expect((await decide(request, 'approve')).status).toBe(200)
    await untilReviews()
    expect(github.reviews()).toEqual([
      {
        path: `/repos/acme/shop/actions/runs/${request.input.run}/deployment_protection_rule`,
        body: {
          environment_name: 'production',
          state: 'approved',
          comment: `Countersign #${request.number}: https://approve.example.com/requests/${request.id}`,
        },
      },
    ])
    await outcomeIs(request.id, 'succeeded')
  })

  test('is rejected with a denial, and with an approval that was taken back before it was told', async () => {
    const denied = await open()
    expect(await decide(denied, 'deny')).toMatchObject({ status: 200 })
    const revoked = await open()
    expect(await decide(revoked, 'approve')).toMatchObject({ status: 200 })
    expect((await grace.post(`/v1/requests/${revoked.id}/revoke`, { reason: 'no' })).status).toBe(
      200,
    )
    await using _relay = relay()
    await untilReviews(2)
    expect(github.reviews().map(({ body }) => body['state'])).toEqual(['rejected', 'rejected'])
    expect(JSON.stringify(github.receiver.received)).not.toContain('looked')
  })

  // Rules: product.md 1, 14
  test('is rejected when a version that blocks it was activated before its approval was told', async () => {
    const request = await open()
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    await activate('overlays: [{ when: { tool: github_deployment }, approval: blocked }]\n')
    await using _relay = relay()
    // A relay that ended with an earlier test may have told its own twice.
    const run = `${request.input.run}/`
    await untilReviews(1, run)
    const own = github.reviews().filter(({ path }) => path.includes(`/${run}`))
    expect(own.map(({ body }) => body['state'])).toEqual(['rejected'])
  })

  test('cannot be approved by who wrote its pull request, nor begun by an account that nobody knows', async () => {
    const request = await open({
      pull_requests: [{ user: accounts.linus }, { user: { id: 9, login: 'who' } }],
    })
    const linus = await api.signIn('linus')
    expect((await decide(request, 'approve', linus)).body.code).toBe('not_eligible')
    const { body: found } = await linus.get('/v1/me')
    const { rows } = await sql<{ behind: unknown }>`
      select document::jsonb -> 'detail' -> 'behind' as behind from audit_event
      where type = 'request.opened' and request_id = ${request.id}
    `.execute(api.desk.database.db)
    expect(rows).toEqual([{ behind: [found.person.id] }])
    const stranger = await send(deploymentEvent(github, by({ id: 666, login: 'mallory' })))
    expect(stranger).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('mallory is: no entry has the id 666') },
    })
    expect((await open(by(accounts.bot))).external.onBehalfOf).toBeNull()
  })

  test.each([{ creator: null }, { creator: undefined }])(
    'is refused when GitHub does not name who made it: %o',
    async ({ creator }) => {
      const event = deploymentEvent(github)
      const deployment = { id: 2, sha: 'e'.repeat(40), ref: 'main', creator }
      const reply = await send({ ...event, deployment })
      expect(reply).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('names nobody who made the deployment') },
      })
    },
  )

  test('opens one request however often it is told, also after the decision', async () => {
    const event = deploymentEvent(github)
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(event)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    expect(new Set(answers.map(({ body }) => body.requestId)).size).toBe(1)
    await using _relay = relay()
    const request = (await grace.get(`/v1/requests/${answers[0]?.body.requestId}`)).body
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    await outcomeIs(request.id, 'succeeded')
    expect((await send(event)).body.requestId).toBe(request.id)
    // A relay that ended with an earlier test may have told its own twice.
    const own = github.reviews().filter(({ path }) => path.includes(`/${request.input.run}/`))
    expect(own).toHaveLength(1)
  })
})

// Rules: product.md 17
describe('an account at GitHub is known by its id', () => {
  test('a login that somebody else took over is not its former owner, as starter or as author', async () => {
    // Ada gave up her login, and Grace renamed her own account to it.
    const taken = { id: accounts.grace.id, login: accounts.ada.login }
    expect(await send(deploymentEvent(github, by(taken)))).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail: expect.stringContaining('AdaHub is: no entry has') },
    })
    for (const event of [
      { ...by(taken), sender: accounts.ada },
      { ...by(accounts.ada), sender: taken },
    ]) {
      expect((await send(deploymentEvent(github, event))).status).toBe(403)
    }
    const author = { id: accounts.grace.id, login: accounts.linus.login }
    const request = await open({ pull_requests: [{ user: author }] })
    const linus = await api.signIn('linus')
    expect(await decide(request, 'approve', linus)).toMatchObject({ status: 200 })
  })

  test('a person who renamed their account is still behind what they begin and write', async () => {
    const renamed = { id: accounts.linus.id, login: 'linus-of-old' }
    const linus = await api.signIn('linus')
    for (const event of [by(renamed), { pull_requests: [{ user: renamed }] }]) {
      const request = await open({ ...event })
      expect((await decide(request, 'approve', linus)).body.code).toBe('not_eligible')
    }
  })

  test('an account without an id is refused', async () => {
    for (const event of [
      { sender: { login: 'AdaHub' } },
      { repository: { full_name: 'acme/shop' } },
      { pull_requests: [{ user: { login: 'LinusHub' } }] },
    ]) {
      expect((await send(deploymentEvent(github, event))).status).toBe(422)
    }
  })

  test('a repository that was made anew, or moved, under a listed name or id is another one', async () => {
    for (const repository of [
      { id: 77, full_name: 'acme/shop' },
      { id: repositoryId, full_name: 'acme/store' },
    ]) {
      const place = `/repos/${repository.full_name}/actions/runs/7/deployment_protection_rule`
      const url = `${github.apiUrl}${place}`
      const event = deploymentEvent(github, { repository, deployment_callback_url: url })
      expect(await send(event)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    }
  })

  test('an approval is not sent once the name is listed with another id', async () => {
    const request = await open()
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    await activate('', 77)
    await using _relay = relay()
    await outcomeIs(request.id, 'unknown')
    const run = `/${request.input.run}/`
    expect(github.reviews().filter(({ path }) => path.includes(run))).toEqual([])
  })
})

// Rules: security.md 23
describe('what is refused', () => {
  test('a message that GitHub did not sign, or signed for another entry', async () => {
    const event = JSON.stringify(deploymentEvent(github))
    const forged = signedByGitHub('another-secret-of-somebody', event)
    for (const headers of [forged, { 'x-hub-signature-256': '' }]) {
      expect((await send(event, { headers })).status).toBe(401)
    }
    expect((await send(event, { name: 'other' })).status).toBe(401)
    const changed = event.replace('production', 'staging')
    const replayed = { headers: signedByGitHub(github.secret, event) }
    expect((await send(changed, replayed)).status).toBe(401)
    secrets['SHOP_SECRET'] = ''
    expect((await send(event, { headers: signedByGitHub('', event) })).status).toBe(401)
  })

  test('an answer to anywhere but the configured API, and a repository that is not listed', async () => {
    const place = '/repos/acme/shop/actions/runs/7/deployment_protection_rule'
    for (const url of [
      `http://169.254.169.254${place}`,
      `${github.apiUrl}@evil.example.com${place}`,
      `${github.apiUrl}${place}?x=1`,
      `${github.apiUrl}/repos/acme/shop/../other/actions/runs/7/deployment_protection_rule`,
    ]) {
      const refused = await send(deploymentEvent(github, { deployment_callback_url: url }))
      expect(refused, url).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
    }
    const other = await send(
      deploymentEvent(github, { repository: { id: repositoryId, full_name: 'evil/shop' } }),
    )
    expect(other).toMatchObject({ status: 403 })
    const { rows } = await sql<{ code: string }>`
      select document::jsonb -> 'detail' ->> 'code' as code from audit_event
      where type = 'attempt.refused' and document like '%POST /v1/deployments/:name%'
    `.execute(api.desk.database.db)
    expect(rows).toEqual([{ code: 'forbidden' }])
    const twice = JSON.stringify(deploymentEvent(github)).replace('{', '{"environment":"staging",')
    expect((await send(twice)).status).toBe(422)
    for (const [event, detail] of [
      [null, 'The body: must be an object'],
      [deploymentEvent(github, { deployment: null }), 'deployment: must be an object'],
      [deploymentEvent(github, { environment: undefined }), 'environment: is missing'],
    ] as const) {
      expect(await send(event)).toMatchObject({ status: 422, body: { detail } })
    }
    const ping = { 'x-github-event': 'ping' }
    expect(
      await send('{"zen":"…"}', {
        headers: { ...signedByGitHub(github.secret, '{"zen":"…"}'), ...ping },
      }),
    ).toMatchObject({
      status: 202,
      body: { requestId: null },
    })
  })

  test('a program that consumes the permit of a deployment, which only the service does', async () => {
    const request = await open()
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    const headers = { authorization: `Bearer ${secrets['SHOP_KEY']}` }
    const body = { digest: request.digest }
    const taken = await api.ask(`/v1/requests/${request.id}/consume`, {
      method: 'POST',
      headers,
      body,
    })
    expect(taken).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })
})

describe('an answer that is interrupted', () => {
  test('is told again after a kill between taking the permit and telling, and takes it once', async () => {
    const request = await open()
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    const { api: ctx } = api.desk
    const claims = await Promise.all([1, 2].map(() => consumeDeploymentPermit(ctx, request.id)))
    expect(claims[0]).toEqual(claims[1])
    github.reviewStatus = 'hang'
    {
      await using _killed = relay()
      await untilReviews(1, `${request.input.run}/`)
    }
    github.reviewStatus = 204
    await using _next = relay()
    await outcomeIs(request.id, 'succeeded')
    const own = github.reviews().filter(({ path }) => path.includes(`/${request.input.run}/`))
    expect(own.map(({ body }) => body['state'])).toEqual(['approved', 'approved'])
    const trail = await rowsOf(
      api.desk.database.db,
      'audit_event',
      { request_id: request.id },
      'type',
    )
    expect(trail.filter(({ type }) => type === 'permit.consumed')).toHaveLength(1)
  })

  test('is of unknown outcome when GitHub refuses what an earlier attempt may have told', async () => {
    github.reviewStatus = 422
    const request = await open()
    github.firstStatuses.set(request.input.run, 503)
    await using _relay = relay()
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    await outcomeIs(request.id, 'unknown')
  })
})

// Rules: security.md 29
describe('rows that somebody wrote let no deployment go on', () => {
  test('with other arguments than those that were approved', async () => {
    const request = await open()
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    const { db } = api.desk.database
    const other = { ...request.input, run: 4711, environment: 'payments' }
    const input_hash = await putContent(db, JSON.stringify(other))
    await setRows(db, 'request_revision', { request_id: request.id }, { input_hash })
    await using _relay = relay()
    await outcomeIs(request.id, 'unknown')
    expect(github.reviews()).toEqual([])
  })

  test('whose approval was taken back, as if its permit had been taken before', async () => {
    const request = await open()
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    expect((await grace.post(`/v1/requests/${request.id}/revoke`, { reason: 'no' })).status).toBe(
      200,
    )
    const { db } = api.desk.database
    await setRows(db, 'external_request', { request_id: request.id }, { consumed_at: new Date() })
    await setRows(db, 'permit', { request_id: request.id }, { state: 'consumed' })
    await using _relay = relay()
    await untilReviews(1, `${request.input.run}/`)
    expect(github.reviews().map(({ body }) => body['state'])).toEqual(['rejected'])
  })

  test('that no event of GitHub asked for', async () => {
    const program = await createProgram(api, olga)
    const { body } = await api.ask('/v1/requests', {
      method: 'POST',
      headers: { authorization: `Bearer ${program.key}` },
      body: {
        tool: 'github_deployment',
        input: { repository: 'acme/shop', environment: 'production', run: 4712, repositoryId },
        externalId: 'made up',
      },
    })
    const request = (await grace.get(`/v1/requests/${body.id ?? body.requestId}`)).body
    expect(await decide(request, 'approve')).toMatchObject({ status: 200 })
    const { db } = api.desk.database
    await sql`update external_request set deployment = '{"name":"shop","installationId":1}'
      where request_id = ${request.id}`.execute(db)
    await sql`insert into delivery (id, endpoint, event_id, recipient, type, request_id, body)
      values (gen_random_uuid(), 'callback:programs', gen_random_uuid(), 'any', 'request.decided',
        ${request.id}, '{}')`.execute(db)
    await using _relay = relay()
    const ends = () =>
      db.selectFrom('delivery').select('state').where('request_id', '=', request.id).execute()
    await waitUntil(async () => (await ends()).every(({ state }) => state === 'dead'))
    expect(github.reviews().filter(({ body: { state } }) => state === 'approved')).toEqual([])
  })
})
