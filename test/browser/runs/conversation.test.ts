import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { activateFolder } from '#services/policy/activate-policy.ts'
import { storeResult } from '#services/transcript/store-result.ts'
import { messageRun } from '#services/runs/message-run.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { onePixel } from '../../harness/fixtures/result-with-files.ts'
import { deskWorker } from '../../harness/fixtures/agent-desk.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import type { Locator } from 'playwright-core'
import { ask, openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

const newestRun = () =>
  dashboard.desk.database.db
    .selectFrom('run')
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()

// Rules: product.md 28
test('a run is started, talked to and finished without a terminal, by keyboard', async () => {
  const { desk } = dashboard
  const page = await dashboard.open('Ada', '/runs/new?worker=scribe')
  await page.getByLabel('Task').focus()
  await page.keyboard.type('Say what is in notes')
  await page.getByRole('region', { name: 'What it may do' }).waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { level: 1, name: /Say what is in notes/ }).waitFor()
  const run = await newestRun()
  desk.say({ text: 'Three **notes**.' })
  await desk.turn(run.id, 1)
  await page
    .locator('.turn', { hasText: 'Three notes.' })
    .locator('strong', { hasText: 'notes' })
    .waitFor()
  await page.getByText('It waits for the next message.').waitFor()
  await page.getByRole('textbox', { name: 'Message' }).focus()
  await page.keyboard.type('Which is the longest?')
  await page.keyboard.press('Control+Enter')
  await page.locator('.turn', { hasText: 'Which is the longest?' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('')
  desk.say({ text: 'The second.' })
  await desk.turn(run.id, 2)
  await page.locator('.turn', { hasText: 'The second.' }).waitFor()
  const olga = await dashboard.open('Olga', `/runs/${run.id}`)
  await olga.getByRole('textbox', { name: 'Message' }).fill('And the shortest?')
  await page.getByRole('button', { name: 'Close the run' }).press('Enter')
  await page.locator('.state-badge-completed').first().waitFor()
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0)
  expect((await newestRun()).state).toBe('completed')
  // What somebody else was writing then is not lost.
  await olga.getByText('The run ended before you sent it.').waitFor()
  await olga.getByRole('button', { name: 'Fork the run with it' }).click()
  const first = olga.getByRole('textbox', { name: 'First message' })
  expect(await first.inputValue()).toBe('And the shortest?')
  expect(dashboard.complaints).toEqual([])
})

test('pictures and texts are chosen, pasted or dropped, taken back, sent with a task and a message, and drawn', async () => {
  const { desk } = dashboard
  const page = await dashboard.open('Ada', '/runs/new?worker=scribe&task=Look%20at%20it')
  await page.getByRole('region', { name: 'What it may do' }).waitFor()
  const chooser = page.locator('input[type=file]')
  await chooser.setInputFiles([
    { name: 'page.png', mimeType: 'image/png', buffer: onePixel },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Use yarn.\n') },
    { name: 'wrong.txt', mimeType: 'text/plain', buffer: Buffer.from('no') },
  ])
  await page.getByRole('button', { name: 'Remove wrong.txt' }).click()
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.getByRole('img', { name: 'page.png' }).waitFor()
  const picture = page.getByRole('img', { name: 'page.png' })
  await expect
    .poll(() => picture.evaluate((img) => (img instanceof HTMLImageElement ? img.naturalWidth : 0)))
    .toBe(1)
  const save = page.getByRole('list', { name: 'Sent with the message' }).getByRole('button').first()
  expect(await save.innerText()).toMatch(/^Download page\.png/)
  const run = await newestRun()
  desk.say({ text: 'A pixel.' })
  await desk.turn(run.id, 1)
  expect(desk.modelRequests.at(-1)?.messages[0]).toMatchObject({
    text: expect.stringContaining('"Use yarn.\\n"'),
    pictures: [{ mediaType: 'image/png' }],
  })
  await page.getByRole('textbox', { name: 'Message' }).fill('And this')
  await page.getByRole('textbox', { name: 'Message' }).evaluate(
    (field, bytes) => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(
        new File([new Uint8Array(bytes)], 'pasted.png', { type: 'image/png' }),
      )
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    },
    [...onePixel],
  )
  await page.getByRole('button', { name: 'Remove pasted.png' }).waitFor()
  await chooser.setInputFiles([
    { name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') },
  ])
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('alert').filter({ hasText: 'Pictures are PNG, JPEG, GIF or WebP' }).waitFor()
  await page.getByRole('button', { name: 'Remove a.svg' }).click()
  // A dropped file is attached; one that the browser cannot read is named, and the rest goes along.
  await page.getByRole('form', { name: 'Message to the run' }).evaluate((form) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['Use npm.'], 'dropped.txt', { type: 'text/plain' }))
    dataTransfer.items.add(new File([''], 'folder'))
    const { arrayBuffer } = File.prototype
    File.prototype.arrayBuffer = function (this: File) {
      return this.name === 'folder' ? Promise.reject(new Error('a folder')) : arrayBuffer.call(this)
    }
    form.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  })
  await page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor()
  await page.getByRole('alert').filter({ hasText: 'folder cannot be read' }).waitFor()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('img', { name: 'pasted.png' }).waitFor()
  await page.getByRole('list', { name: 'Files to send' }).waitFor({ state: 'detached' })
  expect(dashboard.complaints.filter((one) => !one.includes('422'))).toEqual([])
})

const hostile = [
  '# Heading with <img src=x onerror="document.title=\'owned\'">',
  '',
  '<script>document.title="owned"</script>',
  '',
  '[click](javascript:alert(1)) ![pixel](https://evil.example/p.png) <https://evil.example>',
  '',
  '| a | [b](https://evil.example) |',
  '|---|---|',
  '| `safe\u202Etxt.exe` | &#x202e;x |',
  '',
  '[ref]: https://evil.example',
  '',
  '1. **bold [x](https://evil.example)**',
].join('\n')

// Rules: product.md 26; security.md 18
test('the text of a model, a task or a message is never a link, an image or an element', async () => {
  const { desk } = dashboard
  const runId = await desk.start({ input: hostile })
  desk.say({ text: hostile })
  await desk.turn(runId, 1)
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  const outside: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(dashboard.url)) outside.push(request.url())
  })
  const turns = page.getByRole('region', { name: 'Turns' })
  await turns.locator('.markdown table').waitFor()
  await turns.locator('.markdown ol strong').waitFor()
  expect(await turns.locator('img, script, iframe').count()).toBe(0)
  expect(await turns.locator('.turn-text a').count()).toBe(0)
  const text = (await turns.locator('.markdown').innerText()).replaceAll(/\s+/g, ' ')
  expect(text).toContain('[click](javascript:alert(1)) ![pixel](https://evil.example/p.png)')
  expect(text).not.toContain('\u202E')
  expect(await turns.locator('.markdown .chip').count()).toBeGreaterThanOrEqual(2)
  expect(await page.title()).not.toBe('owned')
  expect(outside).toEqual([])
})

// Rules: product.md 10
test('every call says who approved it and for how long, and who may decide a waiting one finds the form there', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/words.md', content: 'One\n' }
  const first = await ask(desk, [{ tool: 'write_file', input }], 'I write.')
  const page = await dashboard.open('Grace', `/runs/${first.runId}`)
  const call = page.locator('.call').first()
  const details = call.locator('details', { hasText: 'What it does' })
  await details.getByText('One', { exact: true }).waitFor()
  await call.getByRole('button', { name: /^Decide #\d+$/ }).waitFor()
  const ada = await dashboard.open('Ada', '/runs')
  await ada
    .getByText(/waits for Grace, Linus since/)
    .first()
    .waitFor()
  await ada.goto(`${dashboard.url}/runs/${first.runId}`)
  await ada
    .getByText(/Grace, Linus can decide it\. You started the run\.$/)
    .first()
    .waitFor()
  expect(await ada.getByRole('button', { name: /^Decide #/ }).count()).toBe(0)
  await desk.decide(desk.people.grace, first.requestIds[0]!, { scope: 'path' })
  await desk.execute(first.callIds[0]!)
  await call.getByText('approved by Grace, for the file').waitFor()
  desk.say({ calls: [{ tool: 'write_file', input: { ...input, content: 'Two\n' } }] })
  await desk.perform(await desk.turn(first.runId, 2))
  await page.getByRole('link', { name: /^by Grace's approval of #\d+, for the file$/ }).waitFor()
  // The bars of the chart of times are in the order of time, and inside of the drawing.
  const time = page.getByRole('region', { name: 'Time' })
  const drawn = time.locator('.times-bars rect:not(.times-row)')
  await expect.poll(() => drawn.count()).toBe(5)
  const bars = await drawn.evaluateAll((rects) =>
    rects.map((rect) => {
      const outer = rect.closest('svg')!.getBoundingClientRect()
      const { left, right, top, bottom } = rect.getBoundingClientRect()
      const isInside = left >= outer.left - 1 && right <= outer.right + 1
      return { who: rect.getAttribute('class'), left, isInside: isInside && bottom > top }
    }),
  )
  expect(new Set(bars.map(({ who }) => who))).toEqual(
    new Set(['times-model', 'times-people', 'times-tools']),
  )
  expect(bars.filter(({ isInside }) => !isInside)).toEqual([])
  expect(bars.map(({ left }) => left)).toEqual(
    bars.map(({ left }) => left).toSorted((one, other) => one - other),
  )
  await time.getByText('As a table').click()
  expect(await time.locator('tbody tr').count()).toBe(bars.length)
  expect(await time.locator('.times-bars a title').first().textContent()).toMatch(
    /^Model, turn 1: \d/,
  )
  await time.locator('.times-bars a').last().click()
  await page.waitForURL(/#turn-2$/)
})

test('the time of people is drawn while a call waits for them', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/waits.md', content: 'One\n' }
  const { runId } = await ask(desk, [{ tool: 'write_file', input }], 'I write.')
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  const time = page.getByRole('region', { name: 'Time' })
  await time.locator('rect.times-people').waitFor()
  await time.getByText('As a table').click()
  await time.getByRole('row', { name: /People write_file/ }).waitFor()
})

test('the page follows the end of a conversation unless its reader has scrolled up', async () => {
  const { desk } = dashboard
  const runId = await desk.start({ conversation: true })
  const long = Array.from({ length: 60 }, (_, at) => `Line ${at} of the answer\n`).join('\n')
  desk.say({ text: long })
  await desk.turn(runId, 1)
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  const last = page.getByText('Line 59 of the answer')
  await last.waitFor()
  await expect
    .poll(() => last.evaluate((it) => it.getBoundingClientRect().top < innerHeight))
    .toBe(true)
  await page.evaluate(() => window.scrollTo({ top: 0 }))
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
  const post = async (text: string, turn: number) => {
    await messageRun(desk.api, desk.people.ada.caller, { runId, text })
    desk.say({ text: `${long}Answer ${turn}` })
    await desk.turn(runId, turn)
  }
  await post('More', 2)
  await page.getByText('Answer 2').waitFor()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  await page.getByRole('button', { name: 'Show what is new' }).click()
  await expect
    .poll(() =>
      page.getByText('Answer 2').evaluate((it) => it.getBoundingClientRect().top < innerHeight),
    )
    .toBe(true)
  // An answer that is longer than anybody reads at once is folded, and all of it is on the page.
  await messageRun(desk.api, desk.people.ada.caller, { runId, text: 'All of them' })
  desk.say({ text: Array.from({ length: 2_000 }, (_, at) => `Row ${at} of 2,000`).join('\n') })
  await desk.turn(runId, 3)
  const unfold = page.getByRole('button', { name: 'Show all 2,000 lines' })
  const row = page.getByText('Row 1500 of 2,000')
  await unfold.waitFor()
  expect(await isOnScreen(row)).toBe(false)
  // As the browser's search scrolls to a place that it found.
  await row.evaluate((it) => it.scrollIntoView({ block: 'center' }))
  await unfold.waitFor({ state: 'detached' })
  await expect.poll(() => isOnScreen(row)).toBe(true)
  await page.reload()
  await unfold.click()
  await row.waitFor()
  const words = page.locator('.turn-text', { has: row })
  expect(await words.evaluate((it) => it === document.activeElement)).toBe(true)
})

test('a number that a tool returns as exitCode is the exit code of a command only', async () => {
  const { desk } = dashboard
  const write = (name: string) => ({ tool: 'write_file', input: { path: name, content: 'Text\n' } })
  const { runId, callIds } = await ask(desk, [write('notes/code.md')], 'I write.')
  const output = { exitCode: 3, of: 'a door' }
  const result = { type: 'output', text: JSON.stringify(output), output } as const
  await desk.database.db
    .transaction()
    .execute((tx) => storeResult(tx, callIds[0] ?? '', { ...result, files: [] }))
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  await page.getByText('a door').first().waitFor()
  await page.locator('.call-result-output').getByText('Returned', { exact: true }).waitFor()
  expect(await page.getByText('Ended with exit code 3').count()).toBe(0)
})

test('the message box on a phone stays above the pages, and nothing is wider than the screen', async () => {
  const { desk } = dashboard
  const runId = await desk.start({ conversation: true })
  desk.say({ text: `| ${'wide | '.repeat(30)}\n|${'-|'.repeat(30)}\n| ${'cell | '.repeat(30)}` })
  await desk.turn(runId, 1)
  const page = await dashboard.open('Ada', `/runs/${runId}`, { viewport: phone, hasTouch: true })
  await page.locator('.markdown table').waitFor()
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(phone.width)
  const send = await page.getByRole('button', { name: 'Send' }).boundingBox()
  // One line: the button that attaches files, the message, and the button that sends it.
  const attach = await page.getByRole('button', { name: 'Attach pictures or texts' }).boundingBox()
  const message = await page.getByRole('textbox', { name: 'Message' }).boundingBox()
  expect([attach?.y, attach?.width, attach?.height]).toEqual([send?.y, 44, 44])
  expect((attach?.x ?? 0) + 44).toBeLessThanOrEqual(message?.x ?? 0)
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') }
  await page.locator('input[type=file]').setInputFiles([file])
  const remove = page.getByRole('button', { name: 'Remove a.txt' })
  expect((await remove.boundingBox())?.height).toBe(44)
  await page.getByText('text/plain, 1 byte', { exact: true }).waitFor()
  const pages = await page.getByRole('navigation', { name: 'Pages' }).boundingBox()
  expect((send?.y ?? 0) + (send?.height ?? 0)).toBeLessThanOrEqual(pages?.y ?? 0)
})

// Rules: product.md 29
test('a run is forked after a turn and started again with another task, by keyboard', async () => {
  const { desk } = dashboard
  const old = await desk.start({ input: 'Say one word' })
  desk.say({ text: 'One.' })
  await desk.turn(old, 1)
  const page = await dashboard.open('Ada', `/runs/${old}`)
  await page.getByRole('link', { name: 'Fork after turn 1' }).press('Enter')
  await page.getByRole('heading', { level: 1, name: /^Fork run \d+ after turn 1$/ }).waitFor()
  const message = page.getByRole('textbox', { name: 'First message' })
  await message.waitFor()
  const fork = page.getByRole('button', { name: 'Fork the run' })
  const reason = await fork.getAttribute('aria-describedby')
  expect(await page.locator(`[id="${reason}"]`).innerText()).toBe('Write the first message.')
  await message.focus()
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => message.getAttribute('aria-invalid')).toBe('true')
  await page.keyboard.type('Say two words')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { level: 1, name: /scribe/ }).waitFor()
  await page.locator('.turn', { hasText: 'Say two words' }).waitFor()
  await page.getByText(/goes on from/).waitFor()
  expect(await newestRun()).toMatchObject({ forked_from: old, forked_after_turn: 1 })
  await page.goto(`${dashboard.url}/runs/${old}`)
  await page.getByRole('button', { name: 'Start again' }).press('Enter')
  const task = page.getByRole('textbox', { name: 'Task' })
  await task.waitFor()
  expect(await task.inputValue()).toBe('Say one word')
  await task.fill('Say three words')
  await page.getByRole('radio', { name: 'The version of that run' }).check()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { level: 1, name: /Say three words/ }).waitFor()
  expect(await newestRun()).toMatchObject({ forked_from: old, forked_after_turn: 0 })
  expect(dashboard.complaints).toEqual([])
})

// Rules: product.md 29
test('a fork takes pictures with its first message, and so does the old task that starts again', async () => {
  const { desk } = dashboard
  const old = await desk.start({ input: 'Look at it' })
  desk.say({ text: 'At what?' })
  await desk.turn(old, 1)
  const page = await dashboard.open('Ada', `/runs/${old}/fork?after=1`)
  const picture = { name: 'page.png', mimeType: 'image/png', buffer: onePixel }
  await page.getByRole('textbox', { name: 'First message' }).fill('At this')
  await page.locator('input[type=file]').setInputFiles([picture])
  await page.getByRole('button', { name: 'Fork the run' }).click()
  await page.locator('.turn', { hasText: 'At this' }).waitFor()
  await page.getByRole('img', { name: 'page.png' }).waitFor()
  await page.goto(`${dashboard.url}/runs/${old}/fork?after=0`)
  await page.getByRole('textbox', { name: 'Task' }).waitFor()
  const chooser = page.locator('input[type=file]')
  await chooser.setInputFiles([{ ...picture, name: 'wrong.png', buffer: Buffer.from('no') }])
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('alert').filter({ hasText: 'Its bytes are not image/png' }).waitFor()
  await page.getByRole('button', { name: 'Remove wrong.png' }).click()
  await chooser.setInputFiles([picture])
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('img', { name: 'page.png' }).waitFor()
  const again = await newestRun()
  expect(again).toMatchObject({ forked_from: old, forked_after_turn: 0 })
  desk.say({ text: 'A pixel.' })
  await desk.turn(again.id, 1)
  expect(desk.modelRequests.at(-1)?.messages[0]).toMatchObject({
    pictures: [{ mediaType: 'image/png' }],
  })
  expect(dashboard.complaints.filter((one) => !one.includes('422'))).toEqual([])
})

test('a message whose answer was lost counts once when it is sent again, also after a reload, and a changed one is sent as another', async () => {
  const { desk } = dashboard
  desk.say({ text: 'Here.' })
  const { runId: id } = await desk.startTurn({ conversation: true })
  const page = await dashboard.open('Ada', `/runs/${id}`)
  const message = page.getByRole('textbox', { name: 'Message' })
  const loseOne = () =>
    page.route(
      '**/messages',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
  const send = async (text: string): Promise<void> => {
    await message.fill(text)
    await message.press('Control+Enter')
  }
  await loseOne()
  await send('First')
  await page.locator('.composer').getByRole('alert').waitFor()
  await page.reload()
  await expect.poll(() => message.inputValue(), { timeout: 60_000 }).toBe('First')
  await message.press('Control+Enter')
  await expect.poll(() => message.inputValue(), { timeout: 60_000 }).toBe('')
  await loseOne()
  await send('Second')
  await page.locator('.composer').getByRole('alert').waitFor()
  await send('Third')
  await expect.poll(() => message.inputValue(), { timeout: 60_000 }).toBe('')
  // The same words after the first ones arrived are another message.
  await send('Third')
  await expect.poll(() => message.inputValue(), { timeout: 60_000 }).toBe('')
  const rows = await rowsOf(desk.database.db, 'message', { run_id: id, role: 'user' }, 'id')
  // The task; First, Second, and Third twice.
  expect(rows).toHaveLength(5)
  // What is typed while a message is on its way stays, also when the browser can keep no more.
  const answer = Promise.withResolvers<void>()
  await page.route(
    '**/messages',
    async (route) => {
      await answer.promise
      await route.continue()
    },
    { times: 1 },
  )
  await page.evaluate(() => {
    sessionStorage.clear()
    for (let size = 4_000_000; size > 0; size = Math.floor(size / 2)) {
      try {
        for (let at = 0; ; at += 1) sessionStorage.setItem(`${size} ${at}`, 'x'.repeat(size))
      } catch {
        // The storage has no room for a text of this size: a smaller one follows.
      }
    }
  })
  await send('Fourth')
  await page.locator('.composer button[data-loading]').waitFor()
  await message.press('End')
  await message.pressSequentially(' and more')
  answer.resolve()
  await expect.poll(() => message.inputValue(), { timeout: 60_000 }).toBe('and more')
})

// Rules: product.md 29
test('a person who may not start the worker is told so and cannot fork, and an open turn is refused', async () => {
  const { desk } = dashboard
  const { runId } = await ask(
    desk,
    [{ tool: 'write_file', input: { path: 'notes/open.md', content: 'Open\n' } }],
    'I write.',
  )
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  await page.locator('.call').first().waitFor()
  expect(await page.getByRole('link', { name: 'Fork after turn 1' }).count()).toBe(0)
  await page.goto(`${dashboard.url}/runs/${runId}/fork?after=1`)
  await page.getByRole('textbox', { name: 'First message' }).fill('Go on')
  await page.getByRole('button', { name: 'Fork the run' }).click()
  await page.getByText('that turn is not finished').waitFor()
  await desk.activate({
    'workers/scribe.md': deskWorker.replace(
      'name: scribe',
      'name: scribe\nstartableBy: [operators]',
    ),
  })
  await page.reload()
  await page.getByText('You may not start runs of scribe.').waitFor()
  expect(await page.getByRole('button', { name: 'Fork the run' }).isDisabled()).toBe(true)
  const other = deskWorker.replace('name: scribe', 'name: other')
  await desk.activate({ 'workers/scribe.md': deskWorker, 'workers/other.md': other })
  const id = await desk.start({ worker: 'other' })
  await rm(join(desk.root, 'workers', 'other.md'))
  await activateFolder(desk.api, desk.root)
  await page.goto(`${dashboard.url}/runs/${id}/fork?after=0`)
  await page.getByRole('heading', { name: 'There is no worker other any more' }).waitFor()
})

test('a run opens at the end of its conversation on a phone, above what is said about the run', async () => {
  const { desk } = dashboard
  desk.say({ text: Array.from({ length: 60 }, (_, at) => `- point ${at + 1}`).join('\n') })
  const { runId: id } = await desk.startTurn({ conversation: true })
  const page = await dashboard.open('Ada', `/runs/${id}`, { viewport: phone, hasTouch: true })
  const last = page.getByText('point 60', { exact: true })
  const message = page.getByRole('textbox', { name: 'Message' })
  const about = page.getByRole('complementary', { name: 'About the run' })
  await expect.poll(() => isOnScreen(last), { timeout: 60_000 }).toBe(true)
  expect(await isOnScreen(message)).toBe(true)
  const pages = await page.getByRole('navigation', { name: 'Pages' }).boundingBox()
  const below = async () => (await about.getByText('Started by').boundingBox())?.y ?? 0
  await expect.poll(below, { timeout: 60_000 }).toBeGreaterThan(pages?.y ?? Infinity)
  // A keyboard leaves half of the screen: the end of the conversation, and the message.
  await message.tap()
  await page.setViewportSize({ ...phone, height: 480 })
  await expect.poll(() => isOnScreen(last)).toBe(true)
  expect(await isOnScreen(message)).toBe(true)
  expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false)
  await message.fill(Array.from({ length: 12 }, (_, at) => `Line ${at}`).join('\n'))
  await expect.poll(() => isOnScreen(last)).toBe(true)
  expect(await isOnScreen(page.getByRole('button', { name: 'Send' }))).toBe(true)
  // On a small tablet the pages lie at the bottom too.
  await message.blur()
  await page.setViewportSize({ width: 700, height: 900 })
  const lower = async () => (await page.getByRole('button', { name: 'Send' }).boundingBox())!
  const upper = async () => (await page.getByRole('navigation', { name: 'Pages' }).boundingBox())!
  await expect
    .poll(async () => (await lower()).y + (await lower()).height - (await upper()).y)
    .toBeLessThanOrEqual(0)
})

function isOnScreen(place: Locator): Promise<boolean> {
  return place.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= window.innerHeight
  })
}
