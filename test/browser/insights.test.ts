import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker } from '../harness/fixtures/agent-desk.ts'
import { setRows } from '../harness/fixtures/rows.ts'
import { ask, developmentToken, openDashboard, phone } from './open-dashboard.ts'
import { axeProblemsInBothSchemes } from '../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())

beforeAll(async () => {
  const { desk } = dashboard
  await desk.activate({
    'countersign.yaml': `${deskConfig}  activatePolicy: [olga@example.com]\n`,
  })
  const calls = Array.from({ length: 12 }, (_, at) => ({
    tool: 'write_file',
    input: { path: `notes/${at}.md`, content: 'text' },
  }))
  const { requestIds } = await ask(desk, calls.slice(0, 10), 'I write')
  for (const id of requestIds) await desk.decide(desk.people.grace, id)
  await ask(desk, calls.slice(10), 'I write more')
})

test('insights are opened by G N; every mark leads to the list behind it, by keyboard, and a table says the same', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('heading', { name: 'Inbox' }).first().waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.waitForURL(`${dashboard.url}/insights`)
  const outcomes = page.getByRole('region', { name: 'Outcomes', exact: true })
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
  await page.waitForURL(/\/\?state=approved&rule=zone%3Anotes\.write&from=/)
  await page.getByText('notes/3.md').first().waitFor()
  const filters = page.getByRole('list', { name: 'Filters' })
  await filters.getByText('rule zone:notes.write').waitFor()
  await filters.getByText(/^opened from /).waitFor()
})

test('every figure leads to a list of exactly that many requests, however they are grouped', async () => {
  const page = await dashboard.open('Grace', '/insights')
  const outcomes = page.getByRole('region', { name: 'Outcomes', exact: true })
  await outcomes.getByText('Figures').click()
  const links = new Map<string, number>()
  for (const by of ['queue', 'worker', 'tool', 'rule', 'person']) {
    await page.getByLabel('Group').selectOption(by)
    await outcomes.getByRole('columnheader', { name: by }).waitFor()
    for (const link of await outcomes.locator('td a, .chart a[aria-label]').all()) {
      const words = (await link.getAttribute('aria-label')) ?? (await link.textContent()) ?? ''
      links.set((await link.getAttribute('href')) ?? '', Number.parseInt(words, 10))
    }
  }
  // Of each grouping: opened, approved and waiting.
  expect(links.size).toBe(15)
  // The median is that of the ten which were decided, as its table says.
  const times = page.getByRole('region', { name: 'How long deciding took', exact: true })
  await times.getByText('Figures').click()
  for (const by of ['queue', 'person']) {
    await page.getByLabel('Group').selectOption(by)
    await outcomes.getByRole('columnheader', { name: by }).waitFor()
    const mark = times.getByRole('link', { name: /^half (?:within|in) / })
    const path = (await mark.getAttribute('href')) ?? ''
    expect(await times.locator('td a').getAttribute('href')).toBe(path)
    links.set(path, Number.parseInt(await times.locator('td a').innerText(), 10))
  }
  expect(links.size).toBe(16)
  for (const [path, count] of links) {
    await page.goto(dashboard.url + path)
    await page
      .locator('.request-row')
      .nth(count - 1)
      .waitFor()
    expect(await page.locator('.request-row').count(), path).toBe(count)
  }
})

test('waiting requests are shown by their age, each bar leading to its list; a list of votes names whose they are', async () => {
  const page = await dashboard.open('Grace', '/insights')
  const ages = page.getByRole('region', { name: 'Waiting, by age' })
  await ages.getByRole('link', { name: '2 up to an hour: platform' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/\?state=pending&queue=platform&from=/)
  await page.locator('.request-row').nth(1).waitFor()
  expect(await page.locator('.request-row').count()).toBe(2)
  const { grace } = dashboard.desk.people
  const linus = await dashboard.open('Linus', `/?state=any&decidedBy=${grace.id}&grantsUsed=true`)
  const filters = linus.getByRole('list', { name: 'Filters' }).getByRole('button')
  await linus.getByText('decided by Grace').waitFor()
  expect(await filters.allTextContents()).toEqual([
    'decided by Grace',
    'whose approval let later calls run',
  ])
})

test('a rule that is always approved is proposed with its change and what it would have let through', async () => {
  const page = await dashboard.open('Grace', '/insights')
  const proposal = page.getByRole('article', { name: 'scribe: zone:notes.write' })
  await proposal.getByText('Approved 10 of 10 times').waitFor()
  await proposal.getByText('12 of the last 12 calls').waitFor()
  // Of those that would have run without approval, the ten newest by number.
  await proposal.getByRole('link', { name: '#12', exact: true }).waitFor()
  await proposal.getByText('and 2 more').waitFor()
  await proposal.getByRole('button', { name: 'Copy the change' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('--- a/workers/scribe.md\n+++ b/workers/scribe.md\n')
})

test('a proposed rule is shown to an owner, who applies it in the folder by the command shown; nothing is in force before the version is activated', async () => {
  const { desk } = dashboard
  const page = await dashboard.open('Grace', '/insights')
  const proposal = page.getByRole('article', { name: 'scribe: zone:notes.write' })
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  // Once, for two clicks.
  await proposal.getByRole('button', { name: 'Propose as a policy version' }).dblclick()
  await proposal.getByRole('link', { name: 'Proposed as change 1' }).click()
  expect(sent.filter((url) => url.includes('/policy/'))).toHaveLength(1)
  const hers = page.getByRole('article', { name: 'Change 1: zone:notes.write' })
  await hers.getByText('approved 10 of 10 times').waitFor()
  await hers.getByRole('button', { name: 'Withdraw' }).waitFor()
  expect(await hers.locator('.command').count()).toBe(0)

  const owner = await dashboard.open('Olga', '/policy')
  const change = owner.getByRole('article', { name: 'Change 1: zone:notes.write' })
  await change.getByText('write: preApproved').first().waitFor()
  const command = (await change.locator('.command code').textContent()) ?? ''
  const run = join(desk.root, '.countersign', 'run')
  await mkdir(run, { recursive: true })
  await writeFile(join(run, 'url'), dashboard.url)
  await writeFile(join(run, 'dev-token'), developmentToken)
  const paste = () => promisify(execFile)('sh', ['-c', command])
  const { stdout } = await paste()
  expect(stdout).toContain('then: countersign policy activate')
  expect(await desk.read('workers/scribe.md')).toBe(
    deskWorker.replace('write: ask', 'write: preApproved'),
  )
  await expect(paste()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('differs from the version in force'),
  })
  await owner.reload()
  const version = owner.getByRole('region', { name: 'Version', exact: true })
  await version.getByText('The project folder holds another version.').waitFor()
  await version.getByText('ask → preApproved').waitFor()
  await desk.write('workers/scribe.md', deskWorker)
  await owner.reload()
  await change.getByRole('button', { name: 'Decline' }).click()
  await change.waitFor({ state: 'detached' })
  await page.reload()
  await hers.waitFor({ state: 'detached' })
  expect(dashboard.complaints).toEqual([])
})

test('the parts of a picture differ from the page and from each other with forced colours', async () => {
  const page = await dashboard.open('Grace', '/insights')
  await page.emulateMedia({ forcedColors: 'active' })
  const legends = page.getByRole('list', { name: 'Colours' })
  await legends.nth(1).waitFor()
  for (const legend of await legends.all()) {
    const marks = await legend.locator('rect').evaluateAll((all) => {
      const light = (colour: string): number => {
        const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number)
        const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) =>
          channel / 255 <= 0.03928
            ? channel / 255 / 12.92
            : ((channel / 255 + 0.055) / 1.055) ** 2.4,
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      const page = light(getComputedStyle(document.body).backgroundColor)
      return all.map((mark) => {
        const { fill, stroke } = getComputedStyle(mark)
        const ratios = [fill, stroke === 'none' ? fill : stroke].map((colour) => {
          const one = light(colour)
          return (Math.max(one, page) + 0.05) / (Math.min(one, page) + 0.05)
        })
        return { look: `${fill} ${stroke}`, ratio: Math.max(...ratios) }
      })
    })
    expect(new Set(marks.map(({ look }) => look)).size).toBe(marks.length)
    expect(marks.filter(({ ratio }) => ratio < 3)).toEqual([])
  }
})

test.each([{ width: 1280, height: 900 }, phone])(
  'the page keeps WCAG 2.2 AA in light and dark, and fits, %j',
  async (viewport) => {
    const page = await dashboard.open('Grace', '/insights', { viewport })
    await page.getByText('Approved 10 of 10 times').waitFor()
    for (const summary of await page.getByText('Figures').all()) await summary.click()
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    expect(await axeProblemsInBothSchemes(page, tags)).toEqual([])
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
    const policy = await page.getByRole('link', { name: 'Policy' }).first().boundingBox()
    expect((policy?.x ?? 0) + (policy?.width ?? 0)).toBeLessThanOrEqual(viewport.width)
    expect(dashboard.complaints).toEqual([])
  },
)

test('tokens and cost of models are shown by worker and by person, and lead to the runs', async () => {
  await setRows(
    dashboard.desk.database.db,
    'turn_attempt',
    { turn: 1 },
    { input_tokens: '1200', cached_input_tokens: '0', output_tokens: '30', cost_usd: 0.5 },
  )
  const page = await dashboard.open('Grace', '/insights')
  const byWorker = page.getByRole('region', { name: 'Model usage by worker' }).first()
  const row = byWorker.getByRole('row', { name: /^scribe/ })
  await row.waitFor()
  const cells = await row.getByRole('cell').allTextContents()
  const runs = Number(cells[0])
  expect(cells.slice(1)).toEqual([
    `$${(runs * 0.5).toFixed(2)}`,
    (runs * 1200).toLocaleString('en'),
    '0',
    String(runs * 30),
  ])
  await page.getByLabel('Group').selectOption('person')
  const byPerson = page.getByRole('region', { name: 'Model usage by person' }).first()
  await byPerson.getByRole('link', { name: 'Ada' }).click()
  await page.waitForURL(/\/runs\?startedBy=.*&activeFrom=/)
  await page.locator('.run-starter', { hasText: 'Ada' }).first().waitFor()
  expect(await page.locator('.run-row').count()).toBe(runs)
  await page.getByText('Only: with a step of the model from').waitFor()
  const earlier = new URL(page.url())
  const from = Date.parse(earlier.searchParams.get('activeFrom') ?? '')
  earlier.searchParams.set('activeFrom', new Date(from - 3_600_000).toISOString())
  earlier.searchParams.set('activeTo', new Date(from).toISOString())
  await page.goto(earlier.href)
  await page.getByText('No run matches').waitFor()
  await page.getByRole('link', { name: 'At any time' }).click()
  await page.locator('.run-row').first().waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('a table of figures that is wider than a phone scrolls to its last column, also by keyboard', async () => {
  const page = await dashboard.open('Grace', '/insights', { viewport: phone })
  const table = page.getByRole('region', { name: 'Tokens and cost' })
  const last = table.getByRole('columnheader', { name: 'tokens out' })
  await last.waitFor()
  const end = async (): Promise<number> => {
    const { x, width } = (await last.boundingBox())!
    return Math.floor(x + width)
  }
  expect(await end()).toBeGreaterThan(phone.width)
  await table.getByRole('link').last().focus()
  for (let presses = 0; presses < 20; presses += 1) await page.keyboard.press('ArrowRight')
  await expect.poll(end).toBeLessThanOrEqual(phone.width)
})

test('the load, hasty approvals and calls asked for twice are shown with what an agent wrote as text, and lead to the list behind them', async () => {
  const { desk } = dashboard
  const hostile = { path: 'notes/<img src=x onerror=alert(1)>.md', content: 'x'.repeat(9000) }
  const call = [{ tool: 'write_file', input: hostile }]
  const { requestIds } = await ask(desk, call, 'I write it at once')
  for (const id of requestIds) await desk.decide(desk.people.grace, id)
  await ask(desk, call, 'I write it again')
  for (let at = 0; at < 5; at += 1) {
    const input = { path: `notes/long-${at}.md`, content: 'x'.repeat(9000) }
    const long = await ask(desk, [{ tool: 'write_file', input }], 'I write more')
    for (const id of long.requestIds) await desk.decide(desk.people.grace, id)
  }
  const page = await dashboard.open('Grace', '/insights')
  const fast = page.getByRole('region', { name: 'Approved faster than it can be read' })
  const rows = fast.getByRole('listitem')
  await rows.first().waitFor()
  expect(await rows.count()).toBe(5)
  await fast.getByRole('button', { name: /^Show \d+ more/ }).click()
  await fast.getByText('<img src=x onerror=alert(1)>').first().waitFor()
  expect(await rows.count()).toBeGreaterThan(5)
  const twice = page.getByRole('region', { name: 'The same call requested twice' })
  await twice.getByText('2 times: 1 approved, 0 denied').waitFor()
  await page.getByText('No request expired unseen.').waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  expect(await twice.getByRole('link').count()).toBe(2)
  // They are of two days if midnight came between them.
  const days = await page.getByRole('link', { name: /^[1-9]\d* opened on/ }).all()
  const labels = await Promise.all(days.map((day) => day.getAttribute('aria-label')))
  const counts = labels.map((label) => Number.parseInt(label ?? '', 10))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(19)
  const newest = counts.at(-1) ?? 0
  // A part of a column leads to the requests of its outcome.
  const parts = page.getByRole('link', { name: /^\d+ approved, opened on/ })
  const approved = Number.parseInt((await parts.last().getAttribute('aria-label')) ?? '', 10)
  await parts.last().click()
  await page.waitForURL(/\/\?state=approved&from=/)
  await page
    .locator('.request-row')
    .nth(approved - 1)
    .waitFor()
  expect(await page.locator('.request-row').count()).toBe(approved)
  await page.goBack()
  await days.at(-1)!.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/\?state=any&from=/)
  await page
    .locator('.request-row')
    .nth(newest - 1)
    .waitFor()
  expect(await page.locator('.request-row').count()).toBe(newest)
  expect(dashboard.complaints).toEqual([])
})
