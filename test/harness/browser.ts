import { chromium, type Browser } from 'playwright-core'
import { findChromium } from './programs/chromium-binary.ts'

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
 * Vitest ends its processes by SIGTERM. `exit` instead, so that what runs at the exit of a process
 * ends the browser and removes its files.
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
  options: { readonly handleSIGTERM?: boolean } = {},
): Promise<Browser> {
  const { path, env } = await findChromium()
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    headless: true,
    ...options,
    args: [
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
