import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { coverAudit } from '../../harness/fixtures/cover-audit.ts'
import { deskConfig, deskWorker } from '../../harness/fixtures/agent-desk.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'

/** Grace sees every section of the pages. */
const config = `${deskConfig
  .replace(
    'rights:',
    'routing:\n  - { when: { path: "infra/**" }, risk: high }\nrights:\n  readAudit: [platform]\n  activatePolicy: [platform]',
  )
  .replace('manageRuns:', 'managePeople: [platform]\n  manageRuns:')}schedules:
  nightly: { worker: scribe, input: Draft the notes, cron: "0 6 * * 1-5", timezone: Europe/Berlin, as: ada@example.com }
`

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard
await desk.activate({
  'countersign.yaml': config,
  'workers/scribe.md': deskWorker.replace(
    '---\nYou',
    'shell:\n  rules:\n    - { pattern: find, approval: preApproved, unlessArgs: [-exec] }\n---\nYou',
  ),
})
await desk.write('notes/old.md', '# Title\n\nOld\n')
const calls = Array.from({ length: 10 }, (_, at) => writeCall(`notes/${at}.md`))
const approved = await ask(desk, calls, 'I write.')
for (const id of approved.requestIds) await desk.decide(desk.people.grace, id)
const { runId } = await ask(
  desk,
  [writeCall('notes/old.md', '# Title\n\nNew\n'), writeCall('notes/new.md')],
  '# Two notes\n\n| a | b |\n| - | - |\n| 1 | 2 |',
)
await coverAudit(desk.database.db)
// A version that waits in the folder.
await desk.write(
  'countersign.yaml',
  config.replace('{ team: platform }', '{ team: platform, expiresAfter: 36h }'),
)

/**
 * Presses Tab from the beginning of the page to its end. Each control of the page must be reached
 * once, in the order of the page, with a visible focus, on the screen and not below something else.
 */
async function walk(page: Page): Promise<readonly string[]> {
  await page.evaluate(markControls)
  await page.evaluate(beginAtTop)
  const problems: string[] = []
  const marks: number[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(lookAtFocus)
    if (at === null || (at.mark !== null && at.mark < (marks.at(-1) ?? 0))) break
    // A field of a date has a stop for each of its parts.
    if (at.mark !== null && at.mark !== marks.at(-1)) marks.push(at.mark)
    problems.push(...at.problems.map((problem) => `${problem}: ${at.what}`))
  }
  const missed = await page.evaluate(
    (reached) =>
      [...document.querySelectorAll<HTMLElement>('[data-walk]')]
        .filter((it) => !reached.includes(Number(it.dataset['walk'])))
        .map((it) => it.outerHTML.slice(0, 160)),
    marks,
  )
  return [...problems, ...missed.map((what) => `not reached: ${what}`)]
}

/** Runs in the page: Tab goes to its first control, also where a run's page scrolled to its end. */
function beginAtTop(): void {
  document.body.tabIndex = -1
  document.body.focus()
  document.body.removeAttribute('tabindex')
}

/** Runs in the page: numbers the controls that a person with a mouse can use. */
function markControls(): void {
  const all = document.querySelectorAll<HTMLElement>(
    'a[href], button, input, select, textarea, summary, [tabindex="0"], [role=button], [contenteditable=true]',
  )
  let next = 0
  for (const it of all) {
    delete it.dataset['walk']
    if (it.matches(':disabled, [type=hidden], [tabindex="-1"], svg a')) continue
    if (!it.checkVisibility({ visibilityProperty: true })) continue
    // Tab reaches one of the radio buttons of a group.
    if (it instanceof HTMLInputElement && it.type === 'radio') continue
    it.dataset['walk'] = String(next)
    next += 1
  }
}

/** Runs in the page: the element with the focus, and what is wrong with how it is shown. */
function lookAtFocus(): { what: string; mark: number | null; problems: string[] } | null {
  const { activeElement: it } = document
  if (!(it instanceof HTMLElement || it instanceof SVGElement) || it === document.body) return null
  const name = (it.getAttribute('aria-label') ?? it.textContent ?? '').trim().replace(/\s+/g, ' ')
  const what = `${it.tagName.toLowerCase()}${it.id === '' ? '' : `#${it.id}`} ${name.slice(0, 60)}`
  const problems: string[] = []
  const hasOutline = (element: Element, pseudo?: string): boolean => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element, pseudo)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
  }
  const around = [it, it.parentElement, it.closest('label'), it.nextElementSibling]
  const isField = it.matches('input, select, textarea')
  const isMarked =
    around.some((one) => one !== null && (hasOutline(one) || hasOutline(one, '::after'))) ||
    it.closest('.choice:focus-within') !== null ||
    (isField && getComputedStyle(it).borderColor !== 'rgba(0, 0, 0, 0)')
  if (!isMarked) problems.push('no mark of the focus')
  const box = it.getBoundingClientRect()
  const isOn =
    box.bottom > 0 && box.top < window.innerHeight && box.right > 0 && box.left < window.innerWidth
  if (!isOn) problems.push(`off the screen at ${Math.round(box.left)},${Math.round(box.top)}`)
  else {
    const x = Math.min(Math.max(box.left + Math.min(box.width / 2, 24), 1), window.innerWidth - 1)
    const y = Math.min(Math.max(box.top + Math.min(box.height / 2, 12), 1), window.innerHeight - 1)
    let over = document.elementFromPoint(x, y)
    while (over !== null && !over.contains(it)) {
      const { position } = getComputedStyle(over)
      if (position === 'fixed' || position === 'sticky') problems.push(`below ${over.className}`)
      over = over.parentElement
    }
  }
  return {
    what,
    mark: it.dataset['walk'] === undefined ? null : Number(it.dataset['walk']),
    problems,
  }
}

const pages: readonly (readonly [name: string, path: string, ready: string, who: string])[] = [
  ['policy', '/policy', '.matrix-cell', 'Grace'],
  ['insights', '/insights', '.chart', 'Grace'],
  ['the audit', '/audit', '.audit-table', 'Grace'],
  [
    'the history of a request',
    `/audit?requestId=${approved.requestIds[0]}`,
    '.event-history',
    'Grace',
  ],
  ['runs', '/runs', '.run-row', 'Ada'],
  ['a run that waits', `/runs/${runId}`, '.call', 'Grace'],
  ['a run of its starter', `/runs/${runId}`, '.call', 'Ada'],
  ['a new run', '/runs/new?worker=scribe', '.start-preview', 'Ada'],
  ['the account', '/account', '#keys-title', 'Grace'],
]

for (const [name, path, ready, who] of pages) {
  for (const viewport of [{ width: 1280, height: 720 }, phone]) {
    test(`Tab reaches each control of ${name} in the order of the page, with the focus in sight, at ${viewport.width} px`, async () => {
      const page = await dashboard.open(who, path, { viewport })
      await page.locator(ready).first().waitFor()
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      await page.evaluate(() => {
        for (const fold of document.querySelectorAll<HTMLDetailsElement>('main details'))
          fold.open = true
      })
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      expect(await walk(page)).toEqual([])
    })
  }
}

/** The element with the focus, by tag and text; null: nothing has it. */
const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const { activeElement: it } = document
    if (it === null || it === document.body) return null
    return `${it.tagName} ${(it.textContent ?? '').trim().slice(0, 40)}`
  })

/** Runs in the page: the text that describes an element to a screen reader. */
function descriptionOf(element: Element): string | null | undefined {
  return document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent
}

test('J and K go through the runs and the events, whose buttons are described by their sentences, / goes to their filter, and Y copies the address of a page', async () => {
  const page = await dashboard.open('Grace', '/runs')
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  for (const [path, row, filter] of [
    ['/runs', '.run-link', 'State'],
    ['/audit', '.audit-open', 'Words'],
  ] as const) {
    await page.goto(dashboard.url + path)
    await page.locator(row).nth(1).waitFor()
    const at = () =>
      page.locator(row).evaluateAll((all) => all.findIndex((one) => one === document.activeElement))
    const places: number[] = []
    for (const key of ['k', 'j', 'k']) {
      await page.keyboard.press(key)
      places.push(await at())
    }
    expect(places).toEqual([0, 1, 0])
    if (row === '.audit-open') {
      // The name is the type of the event alone.
      const description = await page.locator(row).first().evaluate(descriptionOf)
      expect(description).toBe(await page.locator('.audit-table tbody td').nth(1).textContent())
    }
    await page.keyboard.press('y')
    await expect.poll(copied).toBe(dashboard.url + path)
    await page.keyboard.press('/')
    const field = page.getByLabel(filter, { exact: true })
    expect(await field.evaluate((it) => it === document.activeElement)).toBe(true)
  }
  await page.goto(dashboard.url)
  await page.locator('.request-link').first().waitFor()
  await page.keyboard.press('y')
  await expect.poll(copied).toBe(`${dashboard.url}/`)
  await page.goto(`${dashboard.url}/runs/new?task=Write`)
  await page.getByRole('button', { name: 'Copy the link' }).waitFor()
  await page.keyboard.press('y')
  await expect.poll(copied).toMatch(/\/runs\/new\?.*worker=scribe/)
})

test.each(['u', 'Escape'])(
  '%s on a run leads back to the list as it was filtered, to the row of the run; in its message field it does not',
  async (key) => {
    const page = await dashboard.open('Ada', '/runs?worker=scribe')
    const link = page.locator('.run-link').nth(1)
    const path = (await link.getAttribute('href')) ?? ''
    await link.click()
    await page.getByRole('heading', { name: 'Turns' }).waitFor()
    await page.getByRole('textbox').first().focus()
    await page.keyboard.press(key)
    expect(new URL(page.url()).pathname).toBe(path)
    await page.getByRole('heading', { name: 'Turns' }).focus()
    await page.keyboard.press(key)
    await page.waitForURL(`${dashboard.url}/runs?worker=scribe`)
    const hasFocus = () => link.evaluate((it) => it === document.activeElement)
    await expect.poll(hasFocus).toBe(true)
  },
)

test('in a narrow window / unfolds the filters of the runs, and the first has the focus', async () => {
  const page = await dashboard.open('Grace', '/runs', { viewport: phone })
  await page.locator('.run-link').first().waitFor()
  await page.keyboard.press('/')
  const state = page.getByLabel('State', { exact: true })
  await expect.poll(() => state.evaluate((it) => it === document.activeElement)).toBe(true)
})

test('a filter of the trail, of runs and of insights keeps the focus while a person types or chooses, and a day is typed digit by digit', async () => {
  const page = await dashboard.open('Grace', '/audit')
  const days = page.getByLabel('From')
  await days.focus()
  await page.keyboard.type('11222026')
  await page.waitForURL(/from=2026-11-2/)
  expect(await days.inputValue()).toBe('2026-11-22')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('05')
  await expect.poll(() => days.inputValue()).toBe('2026-05-22')
  expect(await days.evaluate((it) => it === document.activeElement)).toBe(true)
  const words = page.getByLabel('Words')
  await words.fill('notes')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=notes/)
  await page.keyboard.type('/1')
  expect(await words.inputValue()).toBe('notes/1')
  expect(await words.evaluate((it) => it === document.activeElement)).toBe(true)
  for (const [path, label] of [
    ['/audit', 'Type of event'],
    ['/runs', 'State'],
    ['/insights', 'Group'],
  ] as const) {
    await page.goto(dashboard.url + path)
    const choice = page.getByLabel(label, { exact: true })
    await choice.focus()
    await page.keyboard.press('ArrowDown')
    await page.waitForURL((url) => url.search !== '')
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    expect(await choice.evaluate((it) => it === document.activeElement)).toBe(true)
  }
})

test('the focus goes to the nearest part that is left when its control is removed, and comes back to one that waited', async () => {
  const page = await dashboard.open('Grace', '/account')
  const create = page.getByRole('button', { name: 'Create a key…' })
  await create.press('Enter')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await expect.poll(() => name.evaluate((it) => it === document.activeElement)).toBe(true)
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect.poll(() => create.evaluate((it) => it === document.activeElement)).toBe(true)
  await page.getByLabel('Away until').fill('2031-01-01T08:00')
  await page.getByRole('button', { name: 'I am away' }).press('Enter')
  await page.getByText('You are away until').waitFor()
  await expect.poll(() => focused(page)).toBe('H2 Away')
  await page.getByRole('button', { name: 'I am back' }).press('Enter')
  await page.getByRole('button', { name: 'I am away' }).waitFor()
  await expect.poll(() => focused(page)).toBe('H2 Away')
  await page.goto(`${dashboard.url}/insights`)
  const propose = page.getByRole('button', { name: 'Propose as a policy version' })
  await propose.press('Enter')
  await page.getByText('Proposed as change').waitFor()
  await expect.poll(() => focused(page)).toMatch(/^ARTICLE scribe/)
  await page.goto(`${dashboard.url}/policy`)
  await page.getByRole('button', { name: 'Withdraw' }).press('Enter')
  await page.getByRole('heading', { name: 'Proposed changes' }).waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).not.toBe(null)
})
