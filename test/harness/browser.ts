import { chromium, type Browser } from 'playwright-core'
import { findChromium } from './chromium-binary.ts'

/**
 * A headless Chromium; open one context for each person of the test. Close it in `afterAll`.
 * `--no-sandbox` because tests also run as root, where Chromium's own sandbox refuses to start.
 *
 * @example
 * const browser = await launchBrowser()
 * const grace = await browser.newContext({ viewport: { width: 390, height: 844 } })
 */
export async function launchBrowser(): Promise<Browser> {
  const { path, env } = await findChromium()
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
