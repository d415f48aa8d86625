import type { Page } from 'playwright-core'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'
import { axeProblemsInBothSchemes } from '../../harness/programs/axe.ts'

/**
 * Grace sees every section: she reads the trail, activates versions, and has a workspace of Slack.
 */
const config = `${deskConfig.replace(
  'rights:',
  'rights:\n  readAudit: [platform]\n  activatePolicy: [platform]',
)}slack: { team: T0ACME, tokenFrom: SLACK_TOKEN, signingSecretFrom: SLACK_SECRET, channels: { platform: "#approvals" } }
`

let requestId = ''
let runId = ''
const dashboard = disposeAfterTests(await openDashboard())
await dashboard.desk.activate({ 'countersign.yaml': config })
await dashboard.desk.database.db
  .insertInto('delivery')
  .values({
    id: uuidv7(),
    endpoint: 'callback:programs',
    event_id: uuidv7(),
    type: 'request.decided',
    body: '{}',
    state: 'dead',
    last_error: 'it answered 503',
  })
  .execute()
await dashboard.desk.write('notes/a11y.md', '# Title\n\nOld line\nSame\n')
const run = await ask(
  dashboard.desk,
  [
    {
      tool: 'write_file',
      input: { path: 'notes/a11y.md', content: '# Title\n\nNew\u200B line \nSame' },
    },
    { tool: 'write_file', input: { path: 'notes/other.md', content: 'Other\n' } },
  ],
  'I improved the notes.',
)
requestId = run.requestIds[0]!
runId = run.runId

const sizes = [{ width: 1280, height: 900 }, phone]

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** The page's problems by WCAG 2.2 AA and more tags, in each colour scheme, each with its page. */
async function problems(page: Page, more: readonly string[]): Promise<string[]> {
  const path = page.url().slice(dashboard.url.length)
  const found = await axeProblemsInBothSchemes(page, [...wcag, ...more])
  return found.map((problem) => `${path} ${problem}`)
}

for (const viewport of sizes) {
  test(`no page has a problem that axe finds, light and dark at ${viewport.width} px`, async () => {
    const pages: [string, string][] = [
      ['/', '.request-row'],
      ['/?q=nothing-is-called-so', '.state'],
      [`/requests/${requestId}`, '.diff-line'],
      [`/requests/00000000-0000-7000-8000-000000000000`, '.state'],
      ['/runs', '.run-row'],
      ['/runs/new?worker=scribe', '.preview-part'],
      [`/runs/${runId}`, '.turn'],
      [`/runs/${runId}/turns/1`, '.change-call'],
      [`/runs/${runId}/fork`, '.preview-part'],
      ['/insights', '.chart'],
      ['/audit', '.audit-table, .state'],
      ['/policy', '.delivery'],
      ['/account#slack=a-code', '#slack-title'],
    ]
    const page = await dashboard.open('Grace', '/', { viewport })
    const found: string[] = []
    for (const [path, ready] of pages) {
      await page.goto(dashboard.url + path)
      await page.locator(ready).first().waitFor()
      found.push(...(await problems(page, ['best-practice'])))
    }
    expect(found).toEqual([])
  })
}

test('no page has a problem that axe finds with forced colours, light and dark', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.emulateMedia({ forcedColors: 'active' })
  const found: string[] = []
  for (const [path, ready] of [
    ['/', '.request-row'],
    [`/requests/${requestId}`, '.diff-line'],
    [`/runs/${runId}/turns/1`, '.change-call'],
    [`/runs/${runId}`, '.turn'],
    ['/policy', '.delivery'],
    ['/insights', '.chart'],
    ['/account', '.account-sections > .card'],
  ] as const) {
    await page.goto(dashboard.url + path)
    await page.locator(ready).first().waitFor()
    expect(await page.evaluate(() => matchMedia('(forced-colors: active)').matches)).toBe(true)
    found.push(...(await problems(page, [])))
  }
  expect(found).toEqual([])
})

test('dialogs and menus over a page have no problem that axe finds, light and dark', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.locator('.request-row').first().waitFor()
  const found: string[] = []
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Single keys are commands').waitFor()
  // It lists what works here: keys of a list, none of a difference.
  const keys = await page.getByRole('dialog').locator('dt').allTextContents()
  expect(keys).toEqual(expect.arrayContaining(['Next', 'Open', 'Filter', 'Insights', 'This list']))
  expect(keys.filter((one) => /Split|Raw|Viewed|Submit/.test(one))).toEqual([])
  found.push(...(await problems(page, [])))
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByText('Runs', { exact: true }).waitFor()
  found.push(...(await problems(page, [])))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Signed in as/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  found.push(...(await problems(page, [])))
  expect(found).toEqual([])
})

test('the sign-in page has no problem that axe finds, light and dark', async () => {
  const page = await dashboard.openSignedOut('/')
  await page.getByLabel('Development token').waitFor()
  expect(await problems(page, ['best-practice'])).toEqual([])
})

test('Escape closes what is open over a page, and leaves the page and the focus where they were', async () => {
  const page = await dashboard.open('Grace', `/requests/${requestId}`)
  await page.locator('.diff-line').first().waitFor()
  const title = page.getByRole('heading', { level: 1 })
  await title.focus()
  for (const open of ['?', 'Control+k']) {
    await page.keyboard.press(open)
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect.poll(() => title.evaluate((it) => it === document.activeElement)).toBe(true)
    expect(new URL(page.url()).pathname).toBe(`/requests/${requestId}`)
  }
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
})

test('single keys can be switched off, and then are no commands nor said to be', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.locator('.request-row').first().waitFor()
  await page.keyboard.press('?')
  await page.getByRole('switch', { name: 'Single keys are commands' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  expect(new URL(page.url()).pathname).toBe('/')
  expect(
    await page.getByRole('button', { name: 'Keyboard commands' }).getAttribute('aria-keyshortcuts'),
  ).toBeNull()
})

test('every hint and aria-keyshortcuts on a Mac say ⌘, and ⌘ works', async () => {
  const page = await dashboard.open('Grace', '/', { platform: 'MacIntel' })
  await page.locator('.request-row').first().waitFor()
  const palette = page.getByRole('button', { name: 'Search or run a command' })
  expect(await palette.getAttribute('aria-keyshortcuts')).toBe('Meta+K')
  expect(await palette.textContent()).toContain('⌘ K')
  await page.keyboard.press('?')
  const help = page.getByRole('dialog')
  await help.getByText('Commands with ⌘ stay.').waitFor()
  expect(await help.textContent()).not.toMatch(/Ctrl|Cmd/)
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  await page.keyboard.press('Meta+k')
  await page.getByRole('dialog').getByText('G then I').waitFor()
})
