import { expect, test } from 'vitest'
import { ask, openDashboard, phone } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { axeProblems } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())
await ask(
  dashboard.desk,
  [{ tool: 'write_file', input: { path: 'notes/<b>ledger.md', content: 'x\n' } }],
  'I write.',
)

test('the palette searches the service, as text, and leads to what it finds', async () => {
  const page = await dashboard.open('Grace', '/runs')
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await page.keyboard.press('Control+k')
  const box = page.getByRole('textbox', { name: /^Search requests, runs/ })
  const top = (await box.boundingBox())?.y
  await box.fill('ledger')
  const hit = page.getByRole('button', { name: /#1 Create notes\/<b>ledger\.md/ })
  await hit.getByText('waiting, medium risk, write_file, scribe').waitFor()
  // The field keeps its place when there are fewer entries.
  expect((await box.boundingBox())?.y).toBe(top)
  await page.getByRole('button', { name: /notes\/<b>ledger\.md one request/ }).waitFor()
  expect(await axeProblems(page)).toEqual([])
  await box.fill('#1')
  // The service answers after the words changed: what Enter opens is highlighted then too.
  const first = page.getByRole('button', { name: /#1 Create/ })
  await expect.poll(() => first.getAttribute('data-selected')).toBe('true')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/requests/1')
  expect(dashboard.complaints).toEqual([])
})

test('while the service has not answered, Enter opens nothing that it found for other words', async () => {
  const page = await dashboard.open('Grace', '/runs')
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await page.keyboard.press('Control+k')
  const box = page.getByRole('textbox', { name: /^Search requests, runs/ })
  await box.fill('ledg')
  const hit = page.getByRole('button', { name: /#1 Create/ })
  await hit.waitFor()
  await page.route('**/v1/search?*', () => undefined)
  await box.fill('ledger')
  await hit.waitFor()
  await box.fill('ledger of another year')
  await hit.waitFor({ state: 'detached' })
  await page.getByText('Searching…').waitFor()
  await page.keyboard.press('Enter')
  expect(new URL(page.url()).pathname).toBe('/runs')
})

test('the palette opens by its key on a screen as narrow as a phone, within its edges', async () => {
  const page = await dashboard.open('Grace', '/runs', { viewport: phone })
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await page.keyboard.press('Control+k')
  const box = page.getByRole('textbox', { name: /^Search requests, runs/ })
  await box.fill('ledger')
  const hit = page.getByRole('button', { name: /#1 Create notes\/<b>ledger\.md/ })
  for (const part of [box, hit]) {
    await part.waitFor()
    const { x, width } = (await part.boundingBox())!
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(phone.width)
  }
})

test('letters typed while the palette opens are the first of its search, and no commands', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.locator('.request-row').first().waitFor()
  let load = (): void => undefined
  const loading = new Promise<void>((resolve) => (load = resolve))
  await page.route('**/assets/palette-*.js', async (route) => {
    await loading
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('gixnotes')
  for (let n = 0; n < 5; n += 1) await page.keyboard.press('Backspace')
  load()
  const field = page.getByRole('textbox', { name: /^Search requests/ })
  await field.waitFor()
  await expect.poll(() => field.inputValue()).toBe('gix')
  await page.keyboard.type('s')
  expect(await field.inputValue()).toBe('gixs')
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
})

test('the palette runs commands of the page it stands on, which get the focus', async () => {
  const page = await dashboard.open('Grace', '/requests/1')
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: /^Search requests, runs/ }).fill('go to deny')
  // No entry has the symbol of Apple's command key as its icon.
  expect(await page.getByRole('dialog').locator('.tabler-icon-command').count()).toBe(0)
  await page.getByRole('button', { name: /Go to deny/ }).click()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('value')))
    .toBe('deny')
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: /^Search requests, runs/ }).fill('nothing is called so')
  await page.getByText('Nothing found').waitFor()
})

test('the palette claims, hands over and changes how rows and colours look, and offers what applies', async () => {
  const page = await dashboard.open('Grace', '/requests/1')
  await page.getByRole('button', { name: 'Claim', exact: true }).waitFor()
  const runs = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: /^Search requests, runs/ }).fill(words)
    await page.getByRole('dialog').getByRole('button', { name: words }).click()
  }
  await runs('Claim or release')
  await page.getByRole('button', { name: 'Release', exact: true }).waitFor()
  await runs('Hand over to a colleague')
  await page.getByRole('menuitem', { name: 'Linus' }).click()
  await page.getByText('handed over to Linus', { exact: true }).waitFor()
  // Only the person who started it may nudge, and Grace did not.
  await page.keyboard.press('Control+k')
  const box = page.getByRole('textbox', { name: /^Search requests, runs/ })
  await box.fill('Nudge')
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  await runs('Use dark colours')
  await expect
    .poll(() => page.evaluate(() => document.documentElement.dataset['mantineColorScheme']))
    .toBe('dark')
  const barColours = () =>
    page.locator('meta[name=theme-color]').evaluateAll((all) => {
      const background = getComputedStyle(document.documentElement).getPropertyValue('--bg')
      return all.map((bar) => bar.getAttribute('content') === background)
    })
  await expect.poll(barColours).toEqual([true, true])
  const heightOfRow = (): Promise<number> =>
    page.evaluate(() => document.querySelector('.request-row')?.clientHeight ?? 0)
  await page.goto(`${dashboard.url}/`)
  await page.locator('.request-row').waitFor()
  const roomy = await heightOfRow()
  await runs('Use compact rows')
  await expect.poll(heightOfRow).toBeLessThan(roomy)
  await page.reload()
  await page.locator('.request-row').waitFor()
  expect(await heightOfRow()).toBeLessThan(roomy)
  // The same verb for the row that has the focus.
  await page.keyboard.press('j')
  await runs('Claim or release')
  await expect.poll(() => page.getByText('is on it').count()).toBe(0)
  await page.goto(`${dashboard.url}/requests/1`)
  await page.getByRole('button', { name: 'Claim', exact: true }).waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('filters are kept under a name in the inbox and on Audit, for their owner alone, as text', async () => {
  const page = await dashboard.open('Grace', '/?risk=low&sort=createdAt')
  const save = async (button: string, name: string): Promise<void> => {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: button }).waitFor({ state: 'detached' })
  }
  await save('Save view', '<b>low</b>, newest')
  expect(await axeProblems(page)).toEqual([])
  await page.goto(`${dashboard.url}/audit?q=ledger`)
  await save('Save these filters', 'About the ledger')
  await page.goto(`${dashboard.url}/`)
  const view = page.getByRole('link', { name: '<b>low</b>, newest' })
  await view.click()
  await page.waitForURL('**/?risk=low&sort=createdAt')
  await expect.poll(() => view.getAttribute('aria-current')).toBe('page')
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: /^Search requests, runs/ }).fill('about the')
  await page.getByRole('button', { name: 'About the ledger (your view)' }).click()
  await page.waitForURL('**/audit?q=ledger')
  const exports = page.getByRole('region', { name: 'Saved exports' })
  await exports.getByRole('link', { name: 'About the ledger' }).waitFor()
  // Exporting the trail needs a right that Grace has not.
  expect(await exports.getByRole('button', { name: /Export/ }).count()).toBe(0)
  await exports.getByRole('button', { name: 'Remove About the ledger' }).click()
  await exports.waitFor({ state: 'detached' })

  const linus = await dashboard.open('Linus', '/')
  await linus.getByRole('heading', { name: 'Inbox' }).waitFor()
  expect(await linus.getByText('Your views').count()).toBe(0)
  expect(dashboard.complaints).toEqual([])
})
