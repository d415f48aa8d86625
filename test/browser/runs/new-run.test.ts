import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig, deskWorker } from '../../harness/fixtures/agent-desk.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const named = (name: string, more: string): string =>
  deskWorker.replace('name: scribe', `name: ${name}\n${more}`)
const config = deskConfig.replace('defaults:', '  alone: { team: operators }\ndefaults:')
await dashboard.desk.activate({
  'countersign.yaml': config,
  'workers/form.md': named(
    'form',
    'input: { type: object, required: [version], properties: { version: { type: string, title: Version, pattern: "^[0-9.]+$" }, kind: { enum: [fix, feature], title: Kind }, labels: { type: array, maxItems: 1, items: { type: string } }, owner: { type: object, required: [name], title: Owner, properties: { name: { type: string, minLength: 2 }, level: { enum: [1, 2] } } } } }',
  ),
  'workers/lonely.md': named('lonely', 'queue: alone'),
  'workers/theirs.md': named('theirs', 'startableBy: [operators]'),
})
await dashboard.desk.write('notes/brief.md', 'Brief\n')

const runs = async () =>
  dashboard.desk.database.db.selectFrom('run').selectAll().orderBy('created_at').execute()
const start = (page: Page) => page.getByRole('button', { name: 'Start run' })

// Rules: product.md 21, 22
test('a person reads before a start what the run does without approval, whom it asks and what it never does', async () => {
  const page = await dashboard.open('Ada', '/runs')
  await page.getByRole('button', { name: 'New run', exact: true }).click()
  // Until the page is loaded, the list of runs is shown, which also has a field `Worker`.
  await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor()
  await page.getByLabel('Worker', { exact: true }).selectOption('scribe')
  const preview = page.getByRole('region', { name: 'What it may do' })
  await preview
    .getByRole('region', { name: 'Without approval' })
    .getByText('Read files in notes/')
    .waitFor()
  const asks = preview.getByRole('region', { name: 'Asks' })
  await asks.getByText('Write and edit files in notes/ that end in .md').waitFor()
  expect(await asks.innerText()).toContain('platform needs 1 of platform: Grace, Linus')
  await preview.getByRole('region', { name: 'Never' }).getByText('Run commands').waitFor()
  await page.getByRole('radio', { name: 'Strict' }).check()
  await preview.getByRole('region', { name: 'Denied in mode “Strict”' }).waitFor()
  expect(await page.getByRole('radio', { name: 'Approve all' }).count()).toBe(0)
  const olga = await dashboard.open('Olga', '/runs/new?worker=scribe')
  await olga.getByRole('radio', { name: 'Approve all' }).check()
  await olga.getByRole('region', { name: 'Does without asking in mode “Approve all”' }).waitFor()
})

test('the button says that a worker or a task is missing, and starts nothing', async () => {
  const before = (await runs()).length
  const page = await dashboard.open('Ada', '/runs/new')
  await page.getByText('Choose a worker.', { exact: true }).waitFor()
  expect(await start(page).isDisabled()).toBe(true)
  await page.getByLabel('Worker', { exact: true }).selectOption('scribe')
  await page.getByText('Write the task.', { exact: true }).waitFor()
  await page.keyboard.press('Control+Enter')
  expect(await page.getByLabel('Task').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Task').fill('Go')
  await expect.poll(() => start(page).isDisabled()).toBe(false)
  expect((await runs()).length).toBe(before)
})

test('a run is started by keyboard alone, from any page, and its page opens', async () => {
  const page = await dashboard.open('Ada', '/audit')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByLabel('Worker').focus()
  await page.keyboard.type('scribe')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Write the notes by key')
  await page.getByRole('region', { name: 'What it may do' }).waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { level: 1, name: /Write the notes by key/ }).waitFor()
  expect((await runs()).at(-1)).toMatchObject({ worker: 'scribe', mode: 'prompt' })
})

test('a link fills the form and starts nothing; what is typed is kept on reload; two clicks start one run', async () => {
  const before = (await runs()).length
  const page = await dashboard.open(
    'Grace',
    '/runs/new?worker=scribe&task=Write%20%3Cb%3Eall%3C%2Fb%3E&mode=approve_all',
  )
  await page.getByText('A link filled in this task.').waitFor()
  expect(await page.getByLabel('Task').inputValue()).toBe('Write <b>all</b>')
  expect(await page.getByRole('radio', { name: 'Prompt', exact: true }).isChecked()).toBe(true)
  const hidden = page.getByText('characters that the field does not show')
  expect(await hidden.count()).toBe(0)
  await page.goto(`${dashboard.url}/runs/new?worker=scribe&task=Write%E2%80%8B%F3%A0%81%A1all`)
  await hidden.waitFor()
  const fields = 'input.version=1%3Cb%3E&input.kind=other&input.labels=a&input.labels=b'
  await page.goto(`${dashboard.url}/runs/new?worker=form&${fields}&input.owner.name=Ada`)
  await page.getByText('A link filled in Version, labels, name.').waitFor()
  await page.getByText('The link also names kind,').waitFor()
  expect(await page.getByLabel('Version').inputValue()).toBe('1<b>')
  expect(await page.getByLabel('labels').inputValue()).toBe('a\nb')
  expect(await page.getByLabel('Kind').inputValue()).toBe('')
  // What the person changes stays, and the link of the form contains it.
  await page.getByLabel('Version').fill('1.2')
  await page.reload()
  await page.getByText('A link filled in labels, name.').waitFor()
  expect(await page.getByLabel('Version').inputValue()).toBe('1.2')
  await page.getByRole('button', { name: 'Copy the link' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(
      `${dashboard.url}/runs/new?worker=form&input.version=1.2&input.labels=a%0Ab&input.owner.name=Ada`,
    )
  await page.goto(`${dashboard.url}/runs/new?worker=scribe`)
  await page.getByLabel('Task').fill('Shorten the brief')
  await page.getByLabel('Files').fill('notes/brief.md\n')
  await page.reload()
  expect(await page.getByLabel('Task').inputValue()).toBe('Shorten the brief')
  expect((await runs()).length).toBe(before)
  await page.getByRole('region', { name: 'What it may do' }).waitFor()
  await start(page).dblclick()
  await page.getByRole('heading', { level: 1, name: /Shorten the brief/ }).waitFor()
  expect((await runs()).length).toBe(before + 1)
  expect((await runs()).at(-1)?.attachments).toMatchObject([{ path: 'notes/brief.md' }])
  await page.goto(`${dashboard.url}/runs/new`)
  expect(await page.getByLabel('Task').inputValue()).toBe('')
})

test('an answer that never came and a second try start one run, also after a reload', async () => {
  const before = (await runs()).length
  const page = await dashboard.open('Ada', '/runs/new?worker=scribe&task=Once')
  await page.getByRole('region', { name: 'What it may do' }).waitFor()
  await page.route('**/v1/runs', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await start(page).click()
  await page.getByText('The run was not started').waitFor()
  await page.unroute('**/v1/runs')
  await page.reload()
  await page.getByRole('region', { name: 'What it may do' }).waitFor()
  await start(page).click()
  await page.getByRole('heading', { level: 1, name: /Once/ }).waitFor()
  expect((await runs()).length).toBe(before + 1)
})

test('a worker with a schema gets a form; what does not fit is said at its field, in order of the schema', async () => {
  const page = await dashboard.open('Ada', '/runs/new?worker=form')
  // What has to be filled in is said by the page, and not by a bubble of the browser.
  await page.getByText('Version is missing.').waitFor()
  expect(await start(page).isDisabled()).toBe(true)
  await page.getByLabel('Version').fill('next')
  await start(page).click()
  await page.getByText('Version must match the pattern').waitFor()
  expect(await page.getByLabel('Version').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Version').fill('1.2')
  // An object has fields of its own, and a list of texts has one on each line.
  const owner = page.getByRole('group', { name: 'Owner' })
  await owner.getByLabel('name').fill('A')
  await owner.getByLabel('level').selectOption('2')
  await page.getByLabel('labels').fill('a\nb\n')
  for (const [field, problem, text] of [
    ['labels', 'Labels may have at most 1 item', 'a'],
    ['name', 'Name must have at least 2 characters', 'Ada'],
  ] as const) {
    await start(page).click()
    await page.getByText(problem).waitFor()
    expect(await page.getByLabel(field).getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel(field).fill(text)
  }
  await page.getByLabel('Kind').selectOption('fix')
  await start(page).click()
  await page.getByRole('heading', { level: 1, name: /^form/ }).waitFor()
  expect((await runs()).at(-1)?.title).toBe(
    'Version: 1.2, Kind: fix, Labels: a, Owner: {"name":"Ada","level":2}',
  )
})

// Rules: product.md 42
test('a worker whose questions reach nobody is said to before it starts, and is not started', async () => {
  const before = (await runs()).length
  const page = await dashboard.open('Olga', '/runs/new?worker=lonely&task=Go')
  await page.getByText('A run of this worker would not start now', { exact: true }).waitFor()
  await page
    .getByText(/would reach nobody but those behind them \(Olga/)
    .first()
    .waitFor()
  expect(await page.locator('p, div', { hasText: /\. Check again$/ }).count()).toBeGreaterThan(0)
  expect(await start(page).isDisabled()).toBe(true)
  const reason = await start(page).getAttribute('aria-describedby')
  expect(await page.locator(`[id="${reason}"]`).innerText()).toContain('would not start now')
  // By keyboard too: the button gets the focus, and starts nothing.
  await start(page).focus()
  await page.keyboard.press('Enter')
  await page.getByText('The run was not started').waitFor()
  expect((await runs()).length).toBe(before)
  await dashboard.desk.activate({
    'countersign.yaml': config.replace('members: [olga@', 'members: [ada@example.com, olga@'),
  })
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect.poll(() => start(page).isDisabled()).toBe(false)
  await dashboard.desk.activate({ 'countersign.yaml': config })
  const ada = await dashboard.open('Ada', '/runs/new?worker=theirs&task=Go')
  await ada.getByText('Only members of operators may start theirs').first().waitFor()
  const none = await dashboard.open('Ada', '/runs/new?worker=nobody')
  await none.getByText('There is no worker nobody.').waitFor()
  const file = await dashboard.open('Ada', '/runs/new?worker=scribe&task=Go')
  await file.getByLabel('Files').fill('../etc/passwd')
  await start(file).click()
  await file.getByText(/attachments\.0/).waitFor()
  expect((await runs()).length).toBe(before)
})

test('the form comes first on a phone, and nothing is wider than the screen', async () => {
  const page = await dashboard.open('Ada', '/runs/new?worker=scribe', {
    viewport: phone,
    hasTouch: true,
  })
  await page.getByRole('region', { name: 'What it may do' }).waitFor()
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(phone.width)
  const box = await start(page).boundingBox()
  expect(box?.height).toBeGreaterThanOrEqual(44)
  expect(dashboard.complaints).toEqual([])
})

// Rules: product.md 33
test('a run starts with a budget of its own, and one above the limits of its worker is refused at its field', async () => {
  const page = await dashboard.open('Ada', '/runs/new?worker=scribe&task=Within+a+budget')
  await page.getByPlaceholder('at most 40').waitFor()
  await page.getByLabel('Maximum turns').fill('several')
  await page.getByText('Maximum turns is a whole number, 1 or more.').waitFor()
  expect(await start(page).isDisabled()).toBe(true)
  await page.keyboard.press('Control+Enter')
  expect(await page.getByLabel('Maximum turns').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Maximum turns').fill('41')
  await start(page).click()
  await page.getByText('budget.turns is above the limit of scribe, 40').waitFor()
  await page.getByLabel('Maximum turns').fill('4')
  await page.getByLabel('Maximum USD').fill('0.00')
  await page.getByText('Maximum USD is an amount such as 0.50.').waitFor()
  await page.getByLabel('Maximum USD').fill('0.50')
  await start(page).click()
  await page.getByText(/^budget.costUsd needs the price of/).waitFor()
  await page.getByLabel('Maximum USD').fill('')
  await page.getByLabel('Maximum tokens').fill('50,000')
  await start(page).click()
  await page.getByRole('heading', { level: 1, name: /Within a budget/ }).waitFor()
  expect((await runs()).at(-1)?.budget).toEqual({ turns: 4, tokens: 50_000 })
})

test('the list of runs is narrowed by state, worker and starter, and its address says so', async () => {
  const { desk } = dashboard
  const starter = desk.people.olga
  await startRun(desk.api, starter.caller, { worker: 'scribe', input: 'By Olga alone' })
  const page = await dashboard.open('Olga', '/runs')
  const row = page.locator('.run-row', { hasText: 'By Olga alone' })
  await row.getByRole('link', { name: 'Olga', exact: true }).click()
  await page.waitForURL((url) => url.searchParams.get('startedBy') === starter.id)
  await expect.poll(() => page.getByLabel('Started by').inputValue()).toBe(starter.id)
  await page.locator('.run-row').nth(1).waitFor({ state: 'detached' })
  await row.waitFor()
  await page.getByLabel('Started by').selectOption('')
  await page.getByLabel('State').selectOption({ label: 'Running' })
  await page.getByLabel('Worker', { exact: true }).selectOption('lonely')
  await page.waitForURL((url) => url.search === '?state=running&worker=lonely')
  await page.getByRole('heading', { name: 'No run matches' }).waitFor()
})

const choices: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['/runs', { State: 'running', Worker: 'lonely' }, '?state=running&worker=lonely'],
  ['/', { State: 'approved', Risk: 'high' }, '?state=approved&risk=high'],
  ['/insights', { Group: 'tool', Time: '7' }, '?by=tool&days=7'],
]

test.each(choices)(
  'two filters of %s that are chosen before it is rendered again both count',
  async (path, values, search) => {
    const page = await dashboard.open('Ada', path)
    const filters = Object.entries(values)
    for (const [name, value] of filters) {
      const option = page.locator(`select[aria-label="${name}"] option[value="${value}"]`)
      await option.waitFor({ state: 'attached' })
    }
    await page.evaluate((all) => {
      for (const [name, value] of all) {
        const field = document.querySelector<HTMLSelectElement>(`select[aria-label="${name}"]`)
        if (field === null) throw new Error(`There is no field ${name}`)
        field.value = value
        field.dispatchEvent(new Event('change', { bubbles: true }))
      }
    }, filters)
    await page.waitForURL((url) => url.search === search)
  },
)
