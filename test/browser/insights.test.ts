import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, openDashboard, phone, type Dashboard } from './open-dashboard.ts'

let dashboard: Dashboard

beforeAll(async () => {
  dashboard = await openDashboard()
  const { desk } = dashboard
  const calls = Array.from({ length: 12 }, (_, at) => ({
    tool: 'write_file',
    input: { path: `notes/${at}.md`, content: 'text' },
  }))
  const { requestIds } = await ask(desk, calls.slice(0, 10), 'I write')
  for (const id of requestIds) await desk.decide(desk.people.grace, id)
  await ask(desk, calls.slice(10), 'I write more')
})
afterAll(() => dashboard[Symbol.asyncDispose]())

test('insights are opened by G N; every mark leads to the list behind it, by keyboard, and a table says the same', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('heading', { name: 'Inbox' }).first().waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.waitForURL(`${dashboard.url}/insights`)
  const outcomes = page.getByRole('region', { name: 'What became of them', exact: true })
  await outcomes.getByRole('link', { name: '10 approved: platform' }).waitFor()
  await outcomes.getByText('Figures').click()
  const row = outcomes.getByRole('row', { name: /^platform/ })
  expect(await row.getByRole('cell').allTextContents()).toEqual(
    expect.arrayContaining(['12', '10', '0', '2']),
  )
  await outcomes.getByRole('link', { name: '2 waiting: platform' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${dashboard.url}/?state=pending&queue=platform`)
  await page.goBack()
  await page.getByLabel('Group').selectOption('rule')
  await outcomes.getByRole('link', { name: /^10 approved: zone notes: write asks/ }).click()
  await page.waitForURL(`${dashboard.url}/?state=approved&rule=zone%3Anotes.write`)
  await page.getByText('notes/3.md').first().waitFor()
})

test('a rule that is always approved is proposed with its change and what it would have let through', async () => {
  const page = await dashboard.open('Grace', '/insights')
  const proposal = page.getByRole('article', { name: 'scribe: zone:notes.write' })
  await proposal.getByText('Approved 10 of 10 times').waitFor()
  await proposal.getByText('12 of the last 12 calls').waitFor()
  await proposal.getByRole('button', { name: 'Copy the change' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('--- a/workers/scribe.md\n+++ b/workers/scribe.md\n')
})

test.each([{ width: 1280, height: 900 }, phone])(
  'the page keeps WCAG 2.2 AA in light and dark, and fits, %j',
  async (viewport) => {
    const page = await dashboard.open('Grace', '/insights', { viewport })
    await page.getByText('Approved 10 of 10 times').waitFor()
    for (const summary of await page.getByText('Figures').all()) await summary.click()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
      const axe = new AxeBuilder({ page }).setLegacyMode(true)
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
      const { violations } = await axe.withTags(tags).analyze()
      expect(
        violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
        ),
      ).toEqual([])
    }
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
    const policy = await page.getByRole('link', { name: 'Policy' }).first().boundingBox()
    expect((policy?.x ?? 0) + (policy?.width ?? 0)).toBeLessThanOrEqual(viewport.width)
    expect(dashboard.complaints).toEqual([])
  },
)

test('the load, hasty approvals and calls asked for twice are shown with what an agent wrote as text, and lead to the list behind them', async () => {
  const { desk } = dashboard
  const hostile = { path: 'notes/<img src=x onerror=alert(1)>.md', content: 'x'.repeat(9000) }
  const call = [{ tool: 'write_file', input: hostile }]
  const { requestIds } = await ask(desk, call, 'I write it at once')
  for (const id of requestIds) await desk.decide(desk.people.grace, id)
  await ask(desk, call, 'I write it again')
  const page = await dashboard.open('Grace', '/insights')
  const fast = page.getByRole('region', { name: 'Approved faster than it can be read' })
  await fast.getByText('<img src=x onerror=alert(1)>').first().waitFor()
  const twice = page.getByRole('region', { name: 'The same call requested twice' })
  await twice.getByText('2 times: 1 approved, 0 denied').waitFor()
  await page.getByText('No request expired unseen.').waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  expect(await twice.getByRole('link').count()).toBe(2)
  await page.getByRole('link', { name: /^14 opened on/ }).click()
  await page.waitForURL(/\/audit\?type=request\.opened&from=/)
  await page.getByText('14 events').or(page.getByText('<img src=x').first()).first().waitFor()
  expect(dashboard.complaints).toEqual([])
})
