import { join } from 'node:path'
import { checkoutFolder } from '#runtime/folders.ts'
import { launchBrowser } from '#test/harness/browser.ts'
import { Installation } from '#test/harness/installation/installation.ts'

/**
 * `node scripts/run.mjs scripts/take-screenshots.ts`: runs the sample project as `npm start` does,
 * and stores two pictures of the README, of the request that waits for Grace: `docs/inbox.png` and
 * `docs/request.png`.
 */
const change = 'notes/1.2.md'
const width = 1280

await using installation = await Installation.start({})
const browser = await launchBrowser()
try {
  const line = installation.lines.find((one) => one.includes('/sign-in#link='))
  const [link = ''] = /http\S+$/.exec(line ?? '') ?? []
  const page = await browser.newPage({ colorScheme: 'light', reducedMotion: 'reduce' })
  page.setDefaultTimeout(120_000)
  const keep = async (name: string, height: number): Promise<void> => {
    await page.setViewportSize({ width, height })
    const path = join(checkoutFolder, 'docs', name)
    await page.screenshot({ path })
    console.log(`wrote ${path}`)
  }
  await page.goto(link)
  await page.getByRole('link', { name: change }).waitFor()
  await keep('inbox.png', 264)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: change }).waitFor()
  await page.getByText('Exports no longer stop at 10,000 rows').first().waitFor()
  await keep('request.png', 790)
} finally {
  await browser.close()
}
