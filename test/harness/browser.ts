import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { findChromium } from './programs/chromium-binary.ts'
import { waitUntil } from './wait-until.ts'

let shared: Promise<Browser> | null = null

/**
 * The Chromium of this test process, for all its files: a start costs as much as the opening of a
 * page. Whoever opens a context closes it; the browser ends with the process.
 */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await (shared ??= launchForProcess())
  if (browser.isConnected()) return browser
  shared = launchForProcess()
  return shared
}

/**
 * Vitest ends its processes by SIGTERM. This calls `exit` instead, so that the handlers of a
 * process's exit end the browser and remove its files.
 */
async function launchForProcess(): Promise<Browser> {
  process.once('SIGTERM', () => process.exit())
  return launchBrowser({ handleSIGTERM: false })
}

/**
 * A headless Chromium of its own; open one context for each person of the test. Close it in
 * `afterAll`. `--no-sandbox` because tests also run as root, where Chromium's own sandbox refuses
 * to start.
 *
 * @example
 * const browser = await launchBrowser()
 * const grace = await browser.newContext({ viewport: { width: 390, height: 844 } })
 */
export async function launchBrowser(
  options: { readonly handleSIGTERM?: boolean; readonly debuggingPort?: number } = {},
): Promise<Browser> {
  const { debuggingPort, ...launch } = options
  const { path, env } = await findChromium()
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    headless: true,
    ...launch,
    args: [
      ...(debuggingPort === undefined ? [] : [`--remote-debugging-port=${debuggingPort}`]),
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Fewer processes: none in reserve, none for another site, none that draws.
      '--disable-site-isolation-trials',
      '--in-process-gpu',
    ],
  })
}

/**
 * The only context of a Chromium of its own, in which `hidePage` works: Playwright keeps the pages
 * of every other browser visible. Closing the context ends the browser.
 */
export async function launchHideable(): Promise<BrowserContext> {
  const browser = await launchBrowser({ debuggingPort: 0 })
  const connected = await chromium.connectOverCDP(await debuggingAddress(browser), {
    noDefaults: true,
  })
  const [context] = connected.contexts()
  if (context === undefined) throw new Error('The browser has no context.')
  context.on('close', () => void browser.close())
  return context
}

/** The address at which a browser listens that has chosen its port itself (port 0). */
async function debuggingAddress(browser: Browser): Promise<string> {
  const session = await browser.newBrowserCDPSession()
  const { commandLine } = await session.send('SystemInfo.getInfo')
  await session.detach()
  const [, profile = ''] = / --user-data-dir=(\S+)/.exec(commandLine) ?? []
  const read = () => readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '')
  await waitUntil(async () => (await read()).includes('\n'))
  const [port = ''] = (await read()).split('\n')
  return `http://127.0.0.1:${port}`
}

/**
 * Hides a page and stops its timers, as a phone does that is locked; `isHidden: false` lets them go
 * on. The page gets `visibilitychange` and no `pagehide`.
 */
export async function hidePage(page: Page, isHidden: boolean): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setWebLifecycleState', { state: isHidden ? 'frozen' : 'active' })
  await session.detach()
}

/**
 * Makes `page.route` wait until its handlers get what the page asks for. Chromium confirms it
 * before the process that draws the page knows of it: on a busy machine, what a page asks for right
 * after `page.route` goes to the service.
 */
export function waitForRoutes(page: Page): void {
  const route = page.route.bind(page)
  const probe = '/is-this-routed'
  let isProbed = false
  page.route = async (...args) => {
    const routed = await route(...args)
    if (isProbed || !page.url().startsWith('http')) return routed
    isProbed = true
    // This handler stays: without any, Chromium would have to be told again.
    await route(`**${probe}`, (request) => request.fulfill({ status: 204 }))
    await waitUntil(() =>
      page.evaluate(async (path) => {
        const { status } = await fetch(path, { cache: 'no-store' })
        return status === 204
      }, probe),
    )
    return routed
  }
}
