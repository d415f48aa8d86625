import type { Locator, Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { rowOf, statesOf } from '../../harness/fixtures/rows.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

/** Whether the longest words of a list to choose from do not fit into it. */
function cutOff(list: Locator): Promise<boolean> {
  return list.evaluate((select: HTMLSelectElement) => {
    const style = getComputedStyle(select)
    const context = document.createElement('canvas').getContext('2d')
    if (context === null) throw new Error('no canvas')
    context.font = style.font
    const words = [...select.options].map(({ text }) => context.measureText(text).width)
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight)
    return Math.max(...words) > select.clientWidth - padding
  })
}

test('a request is decided on a phone in a sheet from the bottom, with targets for a thumb', async () => {
  const input = { path: 'notes/phone.md', content: 'Text\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', '/', { viewport: phone })
  await page.getByRole('button', { name: 'Filters' }).click()
  for (const name of ['State', 'Risk', 'Order']) {
    expect(await cutOff(page.getByRole('combobox', { name })), name).toBe(false)
  }
  await page.getByRole('link', { name: 'notes/phone.md' }).click()
  await page.getByRole('button', { name: 'Decide…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await sheet.waitFor()
  for (const radio of await sheet.getByRole('radio').all())
    expect(await radio.isChecked()).toBe(false)
  await sheet.getByText('Approve as shown').click()
  for (const target of await sheet.locator('.choice, button:visible').all()) {
    const box = await target.boundingBox()
    const isHash = (await target.getAttribute('class'))?.includes('hash')
    if (!isHash) expect(box?.height).toBeGreaterThanOrEqual(44)
  }
  await sheet.getByRole('button', { name: 'Submit', exact: true }).click()
  await sheet.getByText('Approved by you').waitFor()
  const { db } = dashboard.desk.database
  const row = await rowOf(db, 'request', { id: requestIds[0]! })
  expect(row.state).toBe('approved')
})

test('the choice and the text in the sheet are still there after it was closed, and after a tablet was turned', async () => {
  const input = { path: 'notes/put-away.md', content: 'Text\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  await page.getByRole('button', { name: 'Decide…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await sheet.getByText('Deny', { exact: true }).click()
  await sheet.getByRole('button', { name: 'wrong file' }).waitFor()
  expect(await sheet.locator('kbd:visible, .key-hint:visible').count()).toBe(0)
  await sheet.getByLabel('Reason').fill('not on a Friday')
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Decide…' }).click()
  expect(await sheet.getByLabel('Reason').inputValue()).toBe('not on a Friday')
  expect(await sheet.getByRole('radio', { name: 'Deny', exact: true }).isChecked()).toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })
  const beside = page.getByRole('complementary', { name: 'Decision' })
  await beside.waitFor()
  expect(await beside.getByLabel('Reason').inputValue()).toBe('not on a Friday')
  expect(await beside.getByRole('radio', { name: 'Deny', exact: true }).isChecked()).toBe(true)
})

test('a tablet that is turned after a choice shows the page, and its sheet opens by a press with the choice', async () => {
  const { requestIds } = await ask(dashboard.desk, [writeCall('notes/turned.md')], 'A note.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.setViewportSize({ width: 900, height: 1_200 })
  const decide = page.getByRole('button', { name: 'Decide…' })
  await decide.waitFor()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await page.waitForFunction(() => document.querySelector('.sheet') !== null)
  expect(await sheet.isVisible()).toBe(false)
  await decide.click()
  await sheet.waitFor()
  expect(await sheet.getByRole('radio', { name: 'Deny', exact: true }).isChecked()).toBe(true)
})

test('a request stays readable on a phone when the sheet of its decision does not load, and the person is told', async () => {
  const input = { path: 'notes/no-sheet.md', content: 'Text of the note\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', '/', { viewport: phone })
  await page.getByRole('link', { name: 'notes/no-sheet.md' }).waitFor()
  await page.route('**/assets/decision-sheet-*.js', (route) => route.abort())
  await page.goto(`${dashboard.url}/requests/${requestIds[0]}`)
  await page.getByText('Text of the note').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByRole('button', { name: 'Decide…' }).click()
  await page.getByRole('alert').getByText('could not be loaded. Reload the page').waitFor()
  await page.getByText('Text of the note').waitFor()
  expect(await page.getByText('cannot be shown').count()).toBe(0)
})

test('a change of the input that was begun on a phone continues in the sheet, which opens', async () => {
  // Bytes are edited field by field.
  const input = { path: 'notes/phone-bytes.md', content: 'AAAA', encoding: 'base64' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'Bytes.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  await page.getByRole('button', { name: 'Decide…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await sheet.getByText('Approve with changes').click()
  const field = sheet.getByLabel('content', { exact: true })
  await field.fill('BBBB')
  await page.reload()
  await page.getByRole('button', { name: 'Continue the change' }).click()
  await field.waitFor()
  expect(await field.inputValue()).toBe('BBBB')
})

test('A and D open the sheet of a closed decision in a narrow window, with the choice made and the focus on it', async () => {
  const input = { path: 'notes/narrow.md', content: 'Text\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await page.getByRole('button', { name: 'Decide…' }).waitFor()
  for (const [key, name] of [
    ['a', 'Approve as shown'],
    ['d', 'Deny'],
    ['a', 'Approve as shown'],
  ] as const) {
    await page.keyboard.press(key)
    const radio = sheet.getByRole('radio', { name, exact: true })
    await expect.poll(() => radio.evaluate((at) => at === document.activeElement)).toBe(true)
    expect(await radio.isChecked()).toBe(true)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
  }
})

test('in the open sheet of a narrow window A or D chooses with the focus on it, and the same key again submits at low and medium risk', async () => {
  const names = ['notes/sheet-1.md', 'notes/sheet-2.md', 'notes/sheet-3.md'] as const
  const { requestIds } = await ask(
    dashboard.desk,
    names.map((name) => writeCall(name)),
    'Three notes.',
  )
  const page = await dashboard.open('Grace', '/', { viewport: phone })
  await page.getByRole('link', { name: names[0] }).click()
  const decide = page.getByRole('button', { name: 'Decide…' })
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  const radio = (name: string) => sheet.getByRole('radio', { name, exact: true, checked: true })
  const isFocused = (name: string) => radio(name).evaluate((at) => at === document.activeElement)
  await decide.click()
  await sheet.waitFor()
  await page.keyboard.press('a')
  await expect.poll(() => isFocused('Approve as shown')).toBe(true)
  await page.keyboard.press('d')
  await expect.poll(() => isFocused('Deny')).toBe(true)
  await page.keyboard.press('d')
  await page.getByRole('heading', { level: 1, name: names[1] }).waitFor()
  // The key that opens the sheet is the first press.
  await decide.waitFor()
  await page.keyboard.press('a')
  await expect.poll(() => isFocused('Approve as shown')).toBe(true)
  await page.keyboard.press('a')
  await page.getByRole('heading', { level: 1, name: names[2] }).waitFor()
  // A sheet that was closed is opened by a first press.
  await decide.waitFor()
  for (const key of ['a', 'Escape', 'a']) {
    await page.keyboard.press(key)
    await sheet.waitFor({ state: key === 'Escape' ? 'hidden' : 'visible' })
  }
  await expect.poll(() => isFocused('Approve as shown')).toBe(true)
  await expect
    .poll(() => statesOf(dashboard.desk.database.db, requestIds))
    .toEqual(['denied', 'approved', 'pending'])
  // A press before the sheet was closed is not the first one of a wide window.
  const held = page.getByRole('region', { name: 'Decisions being sent' })
  await held.waitFor({ state: 'hidden' })
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1280, height: 900 })
  const panel = page.getByRole('complementary', { name: 'Decision' })
  await panel.getByRole('radio', { name: 'Approve as shown', checked: true }).waitFor()
  await page.keyboard.press('a')
  const approve = panel.getByRole('radio', { name: 'Approve as shown' })
  await expect.poll(() => approve.evaluate((at) => at === document.activeElement)).toBe(true)
  expect(await held.count()).toBe(0)
  await page.keyboard.press('a')
  await held.waitFor()
})

test.each([
  ['a phone', phone],
  ['a desktop', { width: 1280, height: 900 }],
])('a touch anywhere on the card of a decision chooses it on %s', async (where, viewport) => {
  const input = { path: `notes/touched-on-${where.replace(' ', '-')}.md`, content: 'Text\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const path = `/requests/${requestIds[0]}`
  const page = await dashboard.open('Grace', path, { viewport, hasTouch: true })
  if (viewport === phone) await page.getByRole('button', { name: 'Decide…' }).tap()
  const cards = page.locator('.choice')
  // On a phone, the last one leaves the sheet for the editor of the file: edit-file.test.ts.
  const inSheet = ['Deny', 'Deny and stop', 'Approve as shown']
  const names = viewport === phone ? inSheet : [...inSheet, 'Approve with changes']
  for (const [index, name] of names.entries()) {
    const card = cards.nth(index)
    const radio = card.getByRole('radio', { name, exact: true })
    await card.scrollIntoViewIfNeeded()
    const { width, height } = (await card.boundingBox())!
    const places = [
      { x: 3, y: 3 },
      { x: width - 3, y: 3 },
      { x: 3, y: height - 3 },
      { x: width - 3, y: height - 3 },
      { x: width / 2, y: height / 2 },
    ]
    for (const position of places) {
      await cards.nth(index === 0 ? 1 : 0).tap({ position: { x: width / 2, y: 8 } })
      expect(await radio.isChecked()).toBe(false)
      await card.tap({ position })
      expect(await radio.isChecked(), `${name} at ${JSON.stringify(position)}`).toBe(true)
    }
  }
})

// Rules: security.md 15
test('a call of high risk is approved on a phone once a thumb has scrolled through all of it, also after the sheet was open', async () => {
  const high = `routing:\n  - when: { path: 'notes/thumbed.md' }\n    risk: high\n`
  await dashboard.desk.activate({ 'countersign.yaml': `${deskConfig}${high}` })
  const content = Array.from({ length: 80 }, (_, index) => `step ${index + 1}\n`).join('')
  const calls = [{ tool: 'write_file', input: { path: 'notes/thumbed.md', content } }]
  const { requestIds } = await ask(dashboard.desk, calls, 'A plan.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  const decide = page.getByRole('button', { name: 'Decide…' })
  await decide.click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await sheet.getByText('Approve as shown').click()
  await sheet.getByLabel('Reason').fill('read every step')
  await sheet.getByText('scroll through all of what will happen').waitFor()
  // The repeated key submits nothing: it leads to what has not been on the screen.
  await sheet.getByRole('radio', { name: 'Approve as shown' }).focus()
  for (const key of ['a', 'a']) await page.keyboard.press(key)
  await sheet.waitFor({ state: 'hidden' })
  await page.mouse.move(phone.width / 2, phone.height / 2)
  for (let below = Infinity; below > 0;) {
    await page.mouse.wheel(0, 300)
    below = await page.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement
      return Math.floor(scrollHeight - clientHeight - scrollTop)
    })
  }
  await decide.click()
  await sheet.getByRole('button', { name: 'Submit', exact: true }).click()
  await sheet.getByText('Approved by you').waitFor()
  expect(await sidewaysOn(page)).toBe(0)
})

test('a message on a phone covers neither the button of the decision nor the list of pages', async () => {
  const calls = [{ tool: 'write_file', input: { path: 'notes/copied.md', content: 'Text\n' } }]
  const { requestIds } = await ask(dashboard.desk, calls, 'A note.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  const decide = page.getByRole('button', { name: 'Decide…' })
  await decide.waitFor()
  await page.getByRole('button', { name: 'Copy the link' }).click()
  const message = page.locator('.mantine-Notification-root').first()
  await expect.poll(async () => (await message.boundingBox())?.y ?? 0).toBeGreaterThan(48)
  const [shown, button] = [(await message.boundingBox())!, (await decide.boundingBox())!]
  expect(shown.y + shown.height).toBeLessThan(button.y)
})

test('a person’s own decision is not taken for a colleague’s when the stream reports it before its answer arrives', async () => {
  const input = { path: 'notes/slow-answer.md', content: 'Text\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  const answered = Promise.withResolvers<void>()
  const slowly = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    await answered.promise
    await route.fulfill({ response })
  }
  await page.route('**/decisions', slowly, { times: 1 })
  await page.getByRole('button', { name: 'Decide…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await sheet.getByText('Approve as shown').click()
  await sheet.getByLabel('Reason').fill('fine')
  await sheet.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByRole('heading', { name: 'Approved by Grace' }).waitFor()
  expect(await sheet.getByText('Submitting…').isVisible()).toBe(true)
  expect(await sheet.getByText('Your note, not sent:').count()).toBe(0)
  answered.resolve()
  await sheet.getByText('Approved by you').waitFor()
})

test('nothing is wider than a phone, and each target that stands alone is high enough for a thumb', async () => {
  const paths = [
    'notes/high-1.md',
    'notes/a-note-whose-name-is-much-longer-than-a-phone-is-wide-2.md',
  ]
  const calls = paths.map((path) => ({ tool: 'write_file', input: { path, content: 'Text\n' } }))
  const { requestIds, runId } = await ask(dashboard.desk, calls, 'Two notes.')
  const page = await dashboard.open('Grace', '/?q=high-1', { viewport: phone })
  await page.locator('.request-row').first().waitFor()
  const select = await page.locator('.request-select').first().boundingBox()
  await page.mouse.click((select?.x ?? 0) + 4, (select?.y ?? 0) + 40)
  expect(await page.locator('.request-row').getByRole('checkbox').first().isChecked()).toBe(true)
  const pages = [`/requests/${requestIds[1]}`, '/runs', `/runs/${runId}`, '/audit', '/policy']
  pages.push('/insights', '/account', '/runs/new?worker=scribe', `/runs/${runId}/turns/1`)
  for (const path of ['/', ...pages]) {
    await page.goto(dashboard.url + path)
    await page.locator('h1').waitFor()
    if (path === '/') {
      await page.getByRole('button', { name: 'Filters' }).click()
      // The filters take one line, so that rows are on the screen.
      const tops = await page
        .locator('.toolbar select')
        .evaluateAll((all) => all.map((select) => select.getBoundingClientRect().top))
      expect(tops).toEqual([tops[0], tops[0], tops[0]])
    }
    expect(await sidewaysOn(page), path).toBe(0)
    const alone = 'main :is(summary, .back, .batch a, .lineage a, button):visible'
    const low = await page.locator(alone).evaluateAll((targets) =>
      targets.flatMap((target) => {
        const { height } = target.getBoundingClientRect()
        return height === 0 || height >= 44 ? [] : [`${height} ${target.textContent}`]
      }),
    )
    expect(low, path).toEqual([])
    // A tap on the line of a box or switch, also above and below its word, is one on its label.
    const thin = await page
      .locator('main :is(.mantine-Checkbox-body:has(label), .mantine-Switch-body):visible')
      .evaluateAll((lines) =>
        lines.flatMap((line) => {
          line.scrollIntoView({ block: 'center' })
          const { left, top, bottom, height } = line.getBoundingClientRect()
          const isLabel = [top + 1, bottom - 1].every(
            (y) => document.elementFromPoint(left + 60, y)?.closest('label') != null,
          )
          return height >= 44 && isLabel ? [] : [`${height} ${line.textContent}`]
        }),
      )
    expect(thin, path).toEqual([])
  }
})

test('the first row begins in the upper fifth of a phone; filters unfold by thumb or key, and say when some are set', async () => {
  const input = { path: 'notes/first-row.md', content: 'Text\n' }
  await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', '/', { viewport: phone, hasTouch: true })
  const row = page.locator('.request-row').first()
  await row.waitFor()
  const topOf = async () => (await row.boundingBox())?.y ?? Infinity
  expect(await topOf()).toBeLessThanOrEqual(phone.height / 5)
  const list = page.getByRole('combobox', { name: 'List' })
  expect(await cutOff(list)).toBe(false)
  await list.selectOption('/?mine=true')
  await page.waitForURL(`${dashboard.url}/?mine=true`)
  await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  const filters = page.getByRole('button', { name: 'Filters' })
  await filters.tap()
  await page.getByRole('combobox', { name: 'Risk' }).selectOption('low')
  await page.getByRole('button', { name: 'Filters, some are set' }).tap()
  expect(await filters.getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('/')
  const words = page.getByRole('searchbox')
  await words.waitFor()
  expect(await words.evaluate((field) => field === document.activeElement)).toBe(true)
  expect(await words.inputValue()).toBe('')
  // The filters of the trail are folded too, so that it begins in the upper half.
  await page.goto(`${dashboard.url}/audit`)
  const event = page.locator('.audit-table tbody tr').first()
  await event.waitFor()
  expect((await event.boundingBox())?.y).toBeLessThanOrEqual(phone.height / 2)
  await filters.tap()
  await page.getByRole('combobox', { name: 'Type of event' }).selectOption('request.opened')
  await page.getByRole('button', { name: 'Filters, some are set' }).tap()
  expect(await page.getByRole('combobox', { name: 'Type of event' }).count()).toBe(0)
  // The announcement of new requests has its own place, so no row moves.
  await page.goto(dashboard.url)
  await row.waitFor()
  const before = await topOf()
  const later = { path: 'notes/later.md', content: 'Text\n' }
  await ask(dashboard.desk, [{ tool: 'write_file', input: later }], 'A note.')
  const bar = page.getByRole('button', { name: '1 new' })
  await bar.waitFor()
  expect(await topOf()).toBe(before)
  const [barBox, listBox, filtersBox] = await Promise.all(
    [bar, list, filters].map((one) => one.boundingBox()),
  )
  expect((listBox?.x ?? 0) + (listBox?.width ?? 0)).toBeLessThanOrEqual(barBox?.x ?? 0)
  expect((barBox?.x ?? 0) + (barBox?.width ?? 0)).toBeLessThanOrEqual(filtersBox?.x ?? 0)
})

test('a person on a phone goes away with a note, comes back, and has quiet hours that a reload keeps', async () => {
  const page = await dashboard.open('Linus', '/account', { viewport: phone, hasTouch: true })
  const away = page.getByRole('region', { name: 'Away' })
  await away.getByLabel('Away until').fill('2099-01-01T10:00')
  await away.getByLabel('Note').fill('at sea <b>')
  await away.getByRole('button', { name: 'I am away' }).tap()
  await away.getByText('at sea <b>').waitFor()
  await page.reload()
  await away.getByRole('button', { name: 'I am back' }).tap()
  await away.getByLabel('Away until').waitFor()
  const quiet = page.getByLabel('Quiet hours')
  await quiet.click()
  await page.getByLabel('Quiet from').waitFor()
  // The field is drawn before the service has the choice.
  await page.getByText('Saved', { exact: true }).waitFor({ state: 'attached' })
  await page.reload()
  await page.getByLabel('Quiet from').waitFor()
  expect(await quiet.isChecked()).toBe(true)
  await quiet.click()
  await page.getByLabel('Quiet from').waitFor({ state: 'detached' })
  expect(await sidewaysOn(page)).toBe(0)
})

/** How many pixels a page can be scrolled sideways. */
function sidewaysOn(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

test('several requests are denied at once on a phone, after a list of them, with targets for a thumb', async () => {
  const paths = ['notes/thumb-1.md', 'notes/thumb-2.md']
  const calls = paths.map((path) => ({ tool: 'write_file', input: { path, content: 'Text\n' } }))
  const { requestIds } = await ask(dashboard.desk, calls, 'Two notes.')
  const page = await dashboard.open('Grace', '/?q=thumb&sort=age', { viewport: phone })
  for (const path of paths) {
    await page.locator('.request-row', { hasText: path }).getByRole('checkbox').check()
  }
  const bar = page.getByRole('region', { name: 'Selected requests' })
  const cutOff = await bar
    .locator('.mantine-Button-label')
    .evaluateAll((labels) =>
      labels.flatMap((label) => (label.scrollWidth > label.clientWidth ? [label.textContent] : [])),
    )
  expect(cutOff).toEqual([])
  await page.getByRole('button', { name: 'Deny 2…' }).click()
  const sheet = page.getByRole('dialog')
  for (const path of paths) await sheet.getByText(path).waitFor()
  await sheet.getByLabel('Reason').fill('not on a Friday')
  // The list may have to be looked at again: the reason stays, and is that of this decision alone.
  await sheet.getByRole('button', { name: 'Back', exact: true }).click()
  await page.getByRole('button', { name: 'Approve 2…' }).click()
  expect(await sheet.getByLabel('Reason').inputValue()).toBe('')
  await sheet.getByRole('button', { name: 'Back', exact: true }).click()
  await page.getByRole('button', { name: 'Deny 2…' }).click()
  expect(await sheet.getByLabel('Reason').inputValue()).toBe('not on a Friday')
  for (const button of await sheet.locator('button:visible').all()) {
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  await sheet.getByRole('button', { name: 'Deny 2', exact: true }).click()
  await sheet.getByText('Results').waitFor()
  expect(await sheet.getByText('recorded', { exact: true }).count()).toBe(2)
  // The effect has a line of its own, on which its path is not broken within a word.
  const [effect, result] = await Promise.all(
    [sheet.getByText('Create notes/thumb-1.md'), sheet.getByText('recorded').first()].map(
      async (part) => (await part.boundingBox())!,
    ),
  )
  expect(result!.y).toBeGreaterThanOrEqual(effect!.y + effect!.height)
  const { db } = dashboard.desk.database
  const rows = await db
    .selectFrom('request')
    .select('state')
    .where('id', 'in', requestIds)
    .execute()
  expect(rows.map(({ state }) => state)).toEqual(['denied', 'denied'])
})
