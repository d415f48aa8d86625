import { createServer } from 'node:http'
import { createApp } from '#api/app.ts'
import type { EventFeed, Api, ApiSettings } from '#api/context/api.ts'
import type { Me } from '#api/schemas/access/auth.ts'
import type { Readiness } from '#api/schemas/operation/health.ts'
import { createApiMetrics } from '#runtime/metrics/api-metrics.ts'
import type { FindIdentityProvider } from '#services/access/oidc/identity-provider.ts'
import type { SignInCache } from '#services/access/sign-in-cache.ts'
import { sessionTimes } from '#services/access/sessions/session-times.ts'
import type { Log } from '#services/core/context.ts'
import { closeServer, listenHere } from '../harness/listen.ts'
import { openFeed } from '../harness/open-feed.ts'
import { addPerson, type TestPerson } from '../harness/fixtures/people.ts'
import { createTestService, type TestService } from '../harness/fixtures/test-service.ts'
import { testPushKey } from '../harness/fixtures/keys/push-key.ts'
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts'

export const developmentToken = 'a-token-that-only-the-owner-can-read'

/** The API on a free port over a database of its own, as one test file sees it. */
export interface TestApi extends AsyncDisposable {
  readonly url: string
  readonly database: TestDatabase
  readonly service: TestService
  readonly people: Readonly<
    Record<'ada' | 'grace' | 'linus' | 'edsger' | 'olga' | 'aud', TestPerson>
  >
  /** the cookie and token of a new session */
  signIn(person: TestPerson): Promise<Client>
  /** Asks as nobody, or with the headers given. */
  ask(path: string, init?: Ask): Promise<Reply>
}

export interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  /** sent as JSON, with its content type */
  readonly body?: unknown
  /** sent as it is */
  readonly rawBody?: string
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // eslint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  readonly body: any
}

/** A signed-in person, who sends what the pages of the dashboard send. */
export interface Client {
  readonly headers: Record<string, string>
  readonly me: Me
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  put(path: string, body: unknown): Promise<Reply>
  delete(path: string): Promise<Reply>
}

export async function createTestApi(
  options: {
    readonly settings?: Partial<ApiSettings>
    /** one that the test made already; it is disposed with the API all the same */
    readonly database?: TestDatabase
    /** it is another process over the database and the people of this one, which ends later */
    readonly beside?: TestApi
    /** `live`: those of its database; absent: none */
    readonly events?: EventFeed | 'live'
    readonly identityProviderOf?: FindIdentityProvider
    readonly readiness?: () => Promise<Readiness>
    readonly stopping?: AbortSignal
    readonly slack?: NonNullable<Api['slack']>
    readonly log?: Log
    readonly signInMails?: Api['signInMails']
    readonly signIns?: SignInCache
  } = {},
): Promise<TestApi> {
  const { beside, events = silentFeed } = options
  const database = beside?.database ?? options.database ?? (await createTestDatabase())
  const service = await createTestService(database.db)
  const people = beside?.people ?? (await addPeople(service))
  const settings = { ...defaultSettings, ...options.settings }
  const live = events === 'live' ? openFeed(database) : { feed: events }
  const metrics = createApiMetrics(database.db, { namespaceId: async () => 'the namespace' })
  const { log = service.ctx.log } = options
  const app = createApp({
    ctx: { ...service.ctx, log, onRecorded: metrics.recordEvents },
    metrics: metrics.page,
    onAnswer: metrics.recordAnswer,
    settings,
    events: live.feed,
    readiness: options.readiness ?? ready,
    ...(options.identityProviderOf === undefined
      ? {}
      : { identityProviderOf: options.identityProviderOf }),
    ...(options.slack === undefined ? {} : { slack: options.slack }),
    ...(options.stopping === undefined ? {} : { stopping: options.stopping }),
    ...(options.signIns === undefined ? {} : { signIns: options.signIns }),
    ...(options.signInMails === undefined ? {} : { signInMails: options.signInMails }),
  })
  const server = createServer(app)
  const url = `http://127.0.0.1:${await listenHere(server)}`
  const ask = (path: string, init: Ask = {}): Promise<Reply> => askAt(url + path, init)
  return {
    url,
    database,
    service,
    people,
    ask,
    signIn: (person) => signIn(url, ask, person),
    async [Symbol.asyncDispose]() {
      if (Symbol.asyncDispose in live) await live[Symbol.asyncDispose]()
      await closeServer(server)
      if (beside === undefined) await database[Symbol.asyncDispose]()
    },
  }
}

/** The settings of an API in tests. */
export const defaultSettings: ApiSettings = {
  publicUrl: 'http://localhost:4400',
  trustProxy: false,
  developmentToken,
  sessionTimes,
  uiDir: null,
  projectDir: '/srv/project',
  isSample: false,
  temporal: { uiUrl: null, namespace: 'default' },
  version: '0.0.0-test',
  command: 'countersign',
  evidence: {
    auditKey: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    statementKeys: 'countersign statement keys v1\n',
  },
  pushKey: testPushKey,
  requestsPerSecond: 10_000,
  heartbeatMs: 10_000,
}

const silentFeed: EventFeed = {
  since: async () => [],
  latest: async () => 0n,
  subscribe: () => () => undefined,
  subscribeText: () => () => undefined,
}

export async function ready(): Promise<Readiness> {
  const checks = { postgres: true, temporal: true, relayLagMs: 0, eventLagMs: 0, auditLagMs: 0 }
  return { ready: true, checks, problems: [] }
}

async function addPeople(service: TestService): Promise<TestApi['people']> {
  const { db } = service
  return {
    ada: await addPerson(db, 'Ada', []),
    grace: await addPerson(db, 'Grace', ['platform']),
    linus: await addPerson(db, 'Linus', ['platform']),
    edsger: await addPerson(db, 'Edsger', ['security']),
    olga: await addPerson(db, 'Olga', ['operators']),
    aud: await addPerson(db, 'Aud', ['auditors']),
  }
}

/** Signs a person of the database behind `url` in. */
export async function signIn(
  url: string,
  ask: TestApi['ask'],
  person: Pick<TestPerson, 'name'>,
): Promise<Client> {
  const email = `${person.name.toLowerCase()}@example.com`
  const reply = await ask('/v1/auth/dev-login', {
    method: 'POST',
    body: { email, token: developmentToken },
  })
  if (reply.status !== 200) throw new Error(`Signing in failed: ${reply.text}`)
  const me = reply.body as Me
  const headers = {
    cookie: cookieOf(reply),
    origin: url,
    'x-csrf-token': me.csrfToken ?? '',
  }
  return {
    headers,
    me,
    get: (path, more) => ask(path, { headers: { cookie: headers.cookie, ...more } }),
    post: (path, body = {}, more = {}) =>
      ask(path, { method: 'POST', body, headers: { ...headers, ...more } }),
    put: (path, body) => ask(path, { method: 'PUT', body, headers }),
    delete: (path) => ask(path, { method: 'DELETE', headers }),
  }
}

/** The session cookie that an answer sets, as a request sends it. */
export function cookieOf(reply: Reply): string {
  return reply.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

export async function askAt(url: string, init: Ask): Promise<Reply> {
  const hasJson = init.body !== undefined
  const response = await fetch(url, {
    method: init.method ?? 'GET',
    headers: { ...(hasJson ? { 'content-type': 'application/json' } : {}), ...init.headers },
    ...(hasJson ? { body: JSON.stringify(init.body) } : {}),
    ...(init.rawBody === undefined ? {} : { body: Buffer.from(init.rawBody) }),
    redirect: 'manual',
  })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : null,
  }
}
