import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../harness/browser.ts'
import { Installation } from '../harness/installation/installation.ts'

let installation: Installation
let browser: Browser
beforeAll(async () => {
  // Without a project of its own it plays the example: Ada's run, whose change waits for Grace.
  installation = await Installation.start({})
  browser = await launchBrowser()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await installation?.[Symbol.asyncDispose]()
}, 240_000)

test('an approved call is carried out, from the printed link to the changed file with the keyboard alone, and the page says so', async () => {
  const file = join(installation.dataDir, 'quickstart', 'notes', '1.2.md')
  const before = await readFile(file, 'utf8')
  const line = installation.lines.find((one) => one.includes('/sign-in#link='))
  const [link = ''] = /http\S+$/.exec(line ?? '') ?? []
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(60_000)
  await page.goto(link)
  await page.getByRole('button', { name: 'Signed in as Grace' }).waitFor()
  await page.getByRole('link', { name: 'notes/1.2.md' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'notes/1.2.md' }).waitFor()
  await page.getByText('Exports no longer stop at 10,000 rows').first().waitFor()
  expect(await readFile(file, 'utf8')).toBe(before)

  await page.keyboard.press('a')
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Approved by you').waitFor()
  // The run of the sample may have ended before the page asks again.
  await page.getByText(/^Recorded\. The run (goes on|has completed)\.$/).waitFor()
  await page.getByText('Carried out.').waitFor()
  await page.locator('.result').getByText('Returned', { exact: true }).waitFor()

  const after = await readFile(file, 'utf8')
  expect(after).toContain('Exports no longer stop at 10,000 rows')
  expect(after).not.toContain('To be written.')
  await page
    .getByRole('main')
    .getByRole('link', { name: 'release-notes', exact: true })
    .first()
    .click()
  await page.getByText('Completed', { exact: false }).first().waitFor()
  await page.getByText('That was all I had to propose.').first().waitFor()
  // Policy blocked the deletion of the notes of 1.0, so they still exist.
  expect(await readFile(join(file, '..', '1.0.md'), 'utf8')).not.toBe('')
})
