import { formatVerifierKey } from '#evidence/note/note-key.ts'
import { logSigner } from '../harness/fixtures/cover-audit.ts'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { onTestFinished, TestRunner } from 'vitest'
import type { BrowserContext, Page } from 'playwright-core'
import { createApp } from '#api/app.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { openIdProviders } from '#delivery/oidc/open-id-provider.ts'
import { SignInMails } from '#delivery/email/sign-in-mails.ts'
import { EventFeed } from '#delivery/stream/event-feed.ts'
import { EventSequencer } from '#delivery/stream/event-sequencer.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { sessionTimes } from '#services/access/sessions/session-times.ts'
import { newToken } from '#services/access/token.ts'
import { askService } from '../harness/ask-service.ts'
import { launchHideable, sharedBrowser, waitForRoutes } from '../harness/browser.ts'
import { closeServer } from '../harness/listen.ts'
import { clientSecret } from '../harness/open-id/open-id-provider.ts'
import { testPushKey } from '../harness/fixtures/keys/push-key.ts'
import { openAgentDesk, type AgentDesk } from '../harness/fixtures/agent-desk.ts'
import { setRows } from '../harness/fixtures/rows.ts'
import { writeCall } from '../harness/fixtures/runs/file-calls.ts'

export const developmentToken = 'a-token-that-only-the-owner-can-read'
const desktop = { width: 1280, height: 900 }
export const phone = { width: 390, height: 844 }

/**
 * The built dashboard before the real API and services, in a real Chromium. The test is the
 * workflow.
 */
export interface Dashboard extends AsyncDisposable {
  readonly desk: AgentDesk
  readonly url: string
  /**
   * A window of its own for one person, signed in, at an address. One that a test opens is closed
   * after that test: a window that stays open reads every later change anew.
   */
  open(who: string, path: string, options?: OpenOptions): Promise<Page>
  /** A window in which nobody is signed in. */
  openSignedOut(path: string): Promise<Page>
  /** An empty window that knows nothing of the dashboard. */
  openEmpty(): Promise<Page>
  /** What a browser console said of refused scripts, styles or errors, in all windows. */
  readonly complaints: string[]
  /** Ends the listener and every stream; nothing answers until `listenAgain`. */
  stopListening(): Promise<void>
  listenAgain(): Promise<void>
}

export interface OpenOptions {
  readonly viewport?: { width: number; height: number }
  readonly scheme?: 'light' | 'dark'
  readonly hasTouch?: boolean
  /** what the browser says that it runs on: `MacIntel` */
  readonly platform?: string
  /**
   * `allow`: pages install the service worker, as they do at people's. Without it, a test is alone
   * in saying what loads, and opening a page costs a third less.
   */
  readonly serviceWorkers?: 'allow' | 'block'
  /** in a browser of its own whose page `hidePage` hides; the other options do not apply */
  readonly isHideable?: boolean
}

/** What a dashboard is opened with. */
export interface DashboardOptions {
  /** what commands run in; without one the host of the desk has none */
  readonly sandbox?: HostSandbox
  /** how often its event stream says at least something */
  readonly heartbeatMs?: number
}

/** Opens a dashboard over a desk of its own. */
export async function openDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  const uiDir = await askService('dashboard')
  const desk = await openAgentDesk(options.sandbox)
  const { db, url: databaseUrl } = desk.database
  const feed = new EventFeed({ db, databaseUrl })
  const sequencer = new EventSequencer({ db, databaseUrl, log: desk.api.log })
  // Passkeys belong to the address that people are sent to: it is known before the app is made.
  let server = await listen(createServer(), 0)
  const { port } = server.address() as AddressInfo
  const url = `http://localhost:${port}`
  const settings = {
    publicUrl: url,
    trustProxy: false,
    developmentToken,
    sessionTimes,
    uiDir,
    projectDir: desk.root,
    isSample: false,
    temporal: { uiUrl: null, namespace: 'default' },
    version: '0.0.0-test',
    command: 'bin/countersign',
    evidence: {
      auditKey: formatVerifierKey(logSigner.key),
      statementKeys: 'countersign statement keys v1\n',
    },
    pushKey: testPushKey,
    requestsPerSecond: 10_000,
    heartbeatMs: options.heartbeatMs ?? 10_000,
  }
  const readiness = async () => ({
    ready: true,
    checks: { postgres: true, temporal: true, relayLagMs: 0, eventLagMs: 0, auditLagMs: 0 },
    problems: [],
  })
  const signInMails = new SignInMails({ ctx: desk.api, publicUrl: url, environment: {} })
  const app = createApp({
    ctx: desk.api,
    signInMails,
    settings,
    events: feed,
    identityProviderOf: openIdProviders({ OIDC_SECRET: clientSecret }),
    readiness,
  })
  server.on('request', app)
  const browser = await sharedBrowser()
  const contexts = new Set<BrowserContext>()
  const complaints: string[] = []
  const stop = (): Promise<void> => closeServer(server)

  return {
    desk,
    url,
    complaints,
    async open(who, path, options = {}) {
      const proof = newToken()
      const context = await newContext(options)
      const email = `${who.toLowerCase()}@example.com`
      const answer = await context.request.post(`${url}/v1/auth/dev-login`, {
        data: { email, token: developmentToken },
        headers: { origin: url, 'x-countersign-session': proof },
      })
      if (!answer.ok()) throw new Error(`${who} could not sign in: ${await answer.text()}`)
      const { platform } = options
      if (platform !== undefined) {
        await context.addInitScript((value) => {
          Object.defineProperty(navigator, 'platform', { get: () => value })
        }, platform)
      }
      const session = await context.addInitScript(keepProof, { origin: url, proof })
      const page = await visit(context, path)
      // What this window remembers from now on is its own.
      await session.dispose()
      return page
    },
    openSignedOut: async (path) => visit(await newContext({}), path),
    openEmpty: async () => (await newContext({})).newPage(),
    stopListening: stop,
    async listenAgain() {
      server = await listen(createServer(app), port)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...contexts].map((context) => context.close()))
      await stop()
      await signInMails[Symbol.asyncDispose]()
      await sequencer[Symbol.asyncDispose]()
      await feed[Symbol.asyncDispose]()
      await desk[Symbol.asyncDispose]()
    },
  }

  async function newContext(options: OpenOptions): Promise<BrowserContext> {
    const context = options.isHideable
      ? await launchHideable()
      : await browser.newContext({
          viewport: options.viewport ?? desktop,
          colorScheme: options.scheme ?? 'light',
          hasTouch: options.hasTouch ?? false,
          serviceWorkers: options.serviceWorkers ?? 'block',
          reducedMotion: 'reduce',
          permissions: ['clipboard-read', 'clipboard-write'],
        })
    contexts.add(context)
    context.on('close', () => contexts.delete(context))
    if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close())
    return context
  }

  async function visit(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    waitForRoutes(page)
    if (page.viewportSize() === null) await page.setViewportSize(desktop)
    page.on('console', (message) => {
      const text = message.text()
      // A busy browser complains that what it loaded early was used late.
      if (text.includes('preload')) return
      if (/Content Security Policy|TrustedHTML|TrustedScript|Uncaught|React/.test(text)) {
        complaints.push(text)
      }
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(url + path)
    return page
  }
}

/**
 * Runs in the first page of a window: stores what it proves its session with. Playwright's
 * `storageState` would open and close a page of its own for that, a quarter of a window's cost.
 */
function keepProof({ origin, proof }: { origin: string; proof: string }): void {
  if (location.origin === origin) localStorage.setItem('countersign-session', proof)
}

function listen(server: Server, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, 'localhost', () => resolve(server))
  })
}

/** A turn whose calls ask: returns the requests in the order of the calls. */
export async function ask(
  desk: AgentDesk,
  calls: readonly { tool: string; input: JsonObject }[],
  text: string,
): Promise<{ runId: string; requestIds: string[]; callIds: string[] }> {
  desk.say({ text, calls })
  const { runId } = await desk.startTurn()
  const opened = await desk.calls(runId, 1)
  return {
    runId,
    requestIds: opened.map((call) => call.requestId),
    callIds: opened.map((call) => call.id),
  }
}

/** The same for one call, which writes a note. */
export async function askForNote(
  desk: AgentDesk,
  path: string,
  content = 'Text\n',
): Promise<{ path: string; runId: string; id: string; callId: string }> {
  const { runId, requestIds, callIds } = await ask(desk, [writeCall(path, content)], 'A note.')
  return { path, runId, id: requestIds[0]!, callId: callIds[0]! }
}

/** Signs in where the page asks for it, and waits until the page knows the person. */
export async function signInHere(page: Page, name: string): Promise<void> {
  await page.getByLabel('Person').selectOption(`${name.toLowerCase()}@example.com`)
  await page.getByLabel('Development token').fill(developmentToken)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: `Signed in as ${name}` }).waitFor()
}

/** The text of the element that has the focus. */
export function focusedText(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent ?? '')
}

/** What the relay does for a run: its signals have reached Temporal. */
export async function tellTemporal(desk: AgentDesk, runId: string): Promise<void> {
  await setRows(
    desk.database.db,
    'outbox',
    { run_id: runId },
    { delivered_at: sql<Date>`clock_timestamp()` },
  )
}
