import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { reviseRequest } from '#services/revising/revise-request.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { statesOf } from '../../harness/fixtures/rows.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { axeProblemsInBothSchemes } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { db } = dashboard.desk.database
await dashboard.desk.activate({
  'countersign.yaml': deskConfig.replace(
    'defaults:',
    'routing:\n  - { when: { path: "notes/by-two-*" }, quorum: { count: 2 } }\ndefaults:',
  ),
})
for (const name of ['a', 'b', 'c', 'd', 'e'])
  await dashboard.desk.write(`notes/${name}.md`, 'old\n')

// The first is carried out: no other test here names it.
const fiveFiles = ['notes/e.md', 'notes/b.md', 'notes/deep/in/c.md', 'notes/c.md', 'notes/d.md']

const group = (page: Page, position: number) =>
  page.getByRole('radiogroup', { name: `Decision on call ${position}` })
const choose = async (page: Page, position: number, choice: string): Promise<void> => {
  await group(page, position).waitFor()
  // An approval counts when all of it has been on the screen: what is drawn after the page was
  // scrolled on never was.
  await page.locator('article [aria-busy="true"]').first().waitFor({ state: 'detached' })
  await group(page, position).getByRole('radio', { name: choice, exact: true }).check()
}

// Rules: product.md 39, 40
test('five files of one turn are read and decided on one page, by one action, each with its own digest', async () => {
  const { requestIds, runId } = await ask(
    dashboard.desk,
    fiveFiles.map((path) => writeCall(path)),
    'Five',
  )
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('link', { name: 'call 1 of 5' }).click()
  await page.waitForURL(`**/runs/${runId}/turns/1`)
  await page.getByRole('heading', { name: '5 of 5 to decide' }).waitFor()
  // A key leads there from a row of the inbox, and from the page of one of its requests.
  await page.goto(dashboard.url)
  await page
    .getByRole('link', { name: 'Create notes/b.md' })
    .or(page.getByRole('link', { name: /notes\/b\.md/ }))
    .first()
    .focus()
  await page.keyboard.press('t')
  await page.waitForURL(`**/runs/${runId}/turns/1`)
  await page.goto(`${dashboard.url}/requests/${requestIds[1]}`)
  await page.getByRole('link', { name: 'Decide the turn together' }).waitFor()
  await page.keyboard.press('t')
  await page.waitForURL(`**/runs/${runId}/turns/1`)
  await page.getByRole('heading', { name: '5 of 5 to decide' }).waitFor()
  const tree = page.getByRole('navigation', { name: 'Files and calls' })
  expect(await tree.getByRole('button').allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringMatching(/c\.md/)]),
  )
  expect(await page.getByRole('radio', { name: 'Leave', exact: true, checked: true }).count()).toBe(
    5,
  )
  const focusedCall = () =>
    page.evaluate(() => document.activeElement?.querySelector('h2')?.textContent?.trim().charAt(0))
  for (const [key, place] of [...'nnp', ...'jjk'].map((each, at) => [each, '121232'[at]])) {
    await page.keyboard.press(key ?? '')
    await expect.poll(focusedCall).toBe(place)
  }
  const submit = page.getByRole('button', { name: /^Submit( \d)? decisions?$/ })
  expect(await submit.isDisabled()).toBe(true)
  for (const position of [1, 2, 3, 5]) await choose(page, position, 'Approve as shown')
  await choose(page, 4, 'Deny')
  await page.getByRole('button', { name: 'do it differently: …' }).press('Enter')
  await page.keyboard.type('Use yarn')
  expect(await page.getByLabel('Reason').inputValue()).toBe('do it differently: Use yarn')
  await page.getByRole('button', { name: 'Submit 5 decisions' }).click()
  await page.getByText('5 recorded. Nothing left to decide here.').waitFor()
  expect(await page.getByText('Approved by you').count()).toBe(4)
  expect(await page.getByText('Denied by you').count()).toBe(1)
  const marks = tree.locator('.ok, .not-ok')
  expect((await marks.allTextContents()).filter((word) => word === 'approved')).toHaveLength(4)
  expect((await marks.allTextContents()).filter((word) => word === 'denied')).toHaveLength(1)
  expect(await statesOf(db, requestIds)).toEqual([
    'approved',
    'approved',
    'approved',
    'denied',
    'approved',
  ])
  const decisions = await dashboard.desk.database.db
    .selectFrom('decision')
    .select(['batch_decision_id', 'channel'])
    .where('request_id', 'in', requestIds)
    .execute()
  expect(new Set(decisions.map((one) => one.batch_decision_id)).size).toBe(1)
  const carriedOut = (await dashboard.desk.calls(runId, 1))[0]!
  await dashboard.desk.execute(carriedOut.id)
  await page.getByText('Approved by you, carried out').waitFor()
  await page.reload()
  await expect.poll(() => marks.count()).toBe(5)
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.goto(`${dashboard.url}/requests/${requestIds[1]}`)
  await page.getByRole('link', { name: 'See the turn' }).waitFor()
  await page.getByRole('textbox', { name: 'Comment', exact: true }).fill('Too late')
  await page.getByText('It no longer waits: the agent does not read this.').waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('a recorded decision says what it waits for, and that the run goes on only once it does', async () => {
  const { desk } = dashboard
  const turn = await ask(desk, [writeCall('notes/v.md'), writeCall('notes/w.md')], 'Two')
  const page = await dashboard.open('Grace', `/runs/${turn.runId}/turns/1`)
  await choose(page, 2, 'Approve as shown')
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  const second = page.getByRole('article').nth(1)
  await second
    .getByText(
      'Recorded. It is carried out after an earlier call of its turn, which still waits for a decision.',
    )
    .waitFor()
  await desk.decide(desk.people.linus, turn.requestIds[0]!, { decision: 'deny' })
  await desk.execute(turn.callIds[0]!)
  await second
    .getByText('Recorded. It will go on when Temporal and a Temporal worker are back.')
    .waitFor()
  await desk.execute(turn.callIds[1]!)
  await second.getByText('Recorded. The run goes on.', { exact: true }).waitFor()
})

test('an approval that is not the last one says what is needed and then who decided, and reads no request for it', async () => {
  const { desk } = dashboard
  const turn = await ask(desk, [writeCall('notes/by-two-1.md')], 'For two')
  const page = await dashboard.open('Grace', `/runs/${turn.runId}/turns/1`)
  const reads: string[] = []
  page.on('request', (request) => {
    if (/\/v1\/requests\/[^/?]+$/.test(request.url())) reads.push(request.url())
  })
  await choose(page, 1, 'Approve as shown')
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  await page.getByText('Recorded. It still needs 1 of platform.').waitFor()
  await desk.decide(desk.people.linus, turn.requestIds[0]!)
  await page.getByText('Recorded. Approved by Linus.').waitFor()
  expect(reads).toEqual([])
})

test('the list of files has no mark for an approval that is not the last one, and then that of the decision', async () => {
  const { desk } = dashboard
  const turn = await ask(desk, [writeCall('notes/by-two-2.md')], 'For two')
  const page = await dashboard.open('Grace', `/runs/${turn.runId}/turns/1`)
  const tree = page.getByRole('navigation', { name: 'Files and calls' })
  const marks = tree.locator('.ok, .not-ok')
  await choose(page, 1, 'Approve as shown')
  await expect.poll(() => marks.allTextContents()).toEqual(['to approve'])
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  await page.getByText('Recorded. It still needs 1 of platform.').waitFor()
  expect(await marks.count()).toBe(0)
  await desk.decide(desk.people.linus, turn.requestIds[0]!, { decision: 'deny' })
  await page.getByText('Recorded. Denied by Linus.').waitFor()
  expect(await marks.allTextContents()).toEqual(['denied'])
})

test('a decision whose request cannot be read says that the call is approved', async () => {
  const turn = await ask(dashboard.desk, [writeCall('notes/unread.md')], 'One')
  const page = await dashboard.open('Grace', `/runs/${turn.runId}/turns/1`)
  await page.route(`**/v1/requests/${turn.requestIds[0]}`, (route) =>
    route.fulfill({ status: 503, json: {} }),
  )
  await choose(page, 1, 'Approve as shown')
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  await page.getByText('Recorded. It is approved.').waitFor()
})

test('a call that was decided or changed elsewhere meanwhile is not decided here, and says so in its place', async () => {
  const { requestIds, runId } = await ask(
    dashboard.desk,
    ['notes/p.md', 'notes/q.md', 'notes/r.md'].map((path) => writeCall(path)),
    'Three',
  )
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`)
  for (const position of [1, 2, 3]) await choose(page, position, 'Approve as shown')
  await page.getByRole('button', { name: 'Submit 3 decisions' }).waitFor()
  // Behind the page's back: its events do not arrive before it submits.
  await page.context().setOffline(true)
  const { linus } = dashboard.desk.people
  await dashboard.desk.decide(linus, requestIds[0]!, { decision: 'deny', reason: 'not today' })
  const changed = await getRequest(dashboard.desk.api, linus.caller, { request: requestIds[1]! })
  await reviseRequest(dashboard.desk.api, linus.caller, {
    request: requestIds[1]!,
    input: { path: 'notes/q.md', content: 'edited\n' },
    digest: changed.digest,
    revision: 1,
  })
  await page.context().setOffline(false)
  const submit = page.getByRole('button', { name: /^Submit( \d)? decisions?$/ })
  await expect.poll(() => submit.isEnabled()).toBe(true)
  await submit.click()
  await page.getByText('Approved by you').waitFor()
  const [first, second] = [1, 2].map((at) => page.getByRole('article').nth(at - 1))
  await first!
    .getByText(/denied by Linus/i)
    .first()
    .waitFor()
  await second!.getByText('This changed since you opened it').first().waitFor()
  await second!
    .getByText(
      /^Linus changed it at \d\d:\d\d: it is revision 2 now; you were reading revision 1\./,
    )
    .waitFor()
  await second!.getByRole('button', { name: 'Show the new revision' }).click()
  await second!.getByText('edited').waitFor()
  expect(await statesOf(db, requestIds)).toEqual(['denied', 'pending', 'approved'])
  await choose(page, 2, 'Approve as shown')
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  await expect.poll(() => statesOf(db, requestIds)).toEqual(['denied', 'approved', 'approved'])
})

test('what a person wrote for a call that a colleague decides meanwhile stays on the page with the focus, and the choices for the others stay', async () => {
  const { desk } = dashboard
  const paths = ['notes/s.md', 'notes/t.md']
  await desk.write(paths[0]!, 'old\n')
  const { requestIds, runId } = await ask(
    desk,
    paths.map((path) => writeCall(path)),
    'Two',
  )
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`)
  await choose(page, 2, 'Approve as shown')
  const first = page.getByRole('article').first()
  await first.locator('.diff-gutter-insert').first().click()
  await first.getByLabel('Comment on new line 1').fill('Why this line?')
  await choose(page, 1, 'Deny')
  await first.getByLabel('Reason').fill('use yarn')
  await desk.decide(desk.people.linus, requestIds[0]!, { decision: 'deny', reason: 'not today' })
  await first
    .getByText(/denied by Linus/i)
    .first()
    .waitFor()
  await first.getByText('Your note, not sent:').waitFor()
  await first.getByText('use yarn').waitFor()
  expect(await first.getByLabel('Comment on new line 1').inputValue()).toBe('Why this line?')
  expect(await first.evaluate((card) => card.contains(document.activeElement))).toBe(true)
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  await expect.poll(() => statesOf(db, requestIds)).toEqual(['denied', 'approved'])
})

test('a typed reason is there on the new revision too, also when the browser can keep no more, which is said', async () => {
  const { desk } = dashboard
  const { requestIds, runId } = await ask(desk, [writeCall('notes/full.md')], 'One')
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`)
  await choose(page, 1, 'Deny')
  await page.evaluate(() => {
    const value = (): never => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    Object.defineProperty(Storage.prototype, 'setItem', { value })
  })
  await page.getByLabel('Reason').fill('use yarn')
  await page.getByRole('alert').getByText('no more room for what this tab keeps').waitFor()
  const [request = ''] = requestIds
  const { caller } = desk.people.linus
  const { digest } = await getRequest(desk.api, caller, { request })
  const input = { path: 'notes/full.md', content: 'edited\n' }
  await reviseRequest(desk.api, caller, { request, input, digest, revision: 1 })
  await page.getByRole('button', { name: 'Show the new revision' }).click()
  await page.getByRole('article').getByText('edited').waitFor()
  await choose(page, 1, 'Deny')
  expect(await page.getByLabel('Reason').inputValue()).toBe('use yarn')
})

// Rules: product.md 39
test('an approval of what has not been on the screen does not count, and the bar leads to it', async () => {
  const long = Array.from({ length: 400 }, (_, line) => `line ${line}`).join('\n')
  const { requestIds, runId } = await ask(
    dashboard.desk,
    [writeCall('notes/short.md'), writeCall('notes/long.md', `${long}\n`)],
    'Two',
  )
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`)
  await choose(page, 1, 'Approve as shown')
  await choose(page, 2, 'Approve as shown')
  await page.getByText('does not count yet: Not all of it has been on the screen').waitFor()
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  await page.getByText('Approved by you').waitFor()
  expect(await statesOf(db, requestIds)).toEqual(['approved', 'pending'])
  await page.getByRole('button', { name: 'Show it', exact: true }).click()
  for (let at = 0; at < 30; at += 1) await page.mouse.wheel(0, 500)
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => statesOf(db, requestIds)).toEqual(['approved', 'approved'])
})

// Rules: product.md 41
test('each call has its cues, its map of what was not seen, and comments on its lines, as hostile as they may be', async () => {
  const aws = ['AKIA', 'IOSFODNN7', 'EXAMPLE'].join('')
  const filler = Array.from({ length: 120 }, (_, line) => `filler ${line}`).join('\n')
  await dashboard.desk.write('notes/e.md', `old\nkeep\n`)
  const { requestIds, runId } = await ask(
    dashboard.desk,
    [
      writeCall('notes/e.md', `one\nkey ${aws}\n`),
      writeCall('notes/f.md', `two\nkey ${aws}\n${filler}\n`),
    ],
    'Two with keys',
  )
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`)
  const [first, second] = [page.getByRole('article').nth(0), page.getByRole('article').nth(1)]
  // A cue that is followed before its difference has loaded leads there once it has.
  const { promise: held, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/assets/files-*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.reload()
  await first.getByRole('link', { name: 'line 2' }).click()
  go()
  await first.locator('[data-change-key="I2"]:focus').waitFor()
  await second.getByText('Holds what looks like a secret').waitFor()
  await second.getByRole('link', { name: 'line 2' }).click()
  await expect.poll(() => second.locator(':focus').textContent()).toContain('key')
  await page.keyboard.press('k')
  await expect.poll(() => first.evaluate((card) => card === document.activeElement)).toBe(true)
  const unseen = second.getByRole('button', { name: /^\d+% not seen yet: show it$/ })
  const shareBefore = await unseen.innerText()
  await unseen.click()
  await expect.poll(() => unseen.innerText().catch(() => '')).not.toBe(shareBefore)
  await first.locator('.diff-gutter-delete').first().click()
  const field = first.getByLabel('Comment on old line 1')
  await field.fill('Keep <b>this</b> \u202Eline')
  await field.press('Escape')
  expect(await field.evaluate((at) => at === document.activeElement)).toBe(false)
  expect(await field.inputValue()).toContain('Keep <b>this</b>')
  // With a choice: the key that submits saves the comment instead, and decides nothing.
  await choose(page, 1, 'Deny')
  await field.press('Control+Enter')
  await first.locator('.diff-widget', { hasText: 'Keep <b>this</b>' }).waitFor()
  await field.waitFor({ state: 'detached' })
  expect(await statesOf(db, requestIds)).toEqual(['pending', 'pending'])
  await page.keyboard.press('Escape')
  await page.goto(`${dashboard.url}/runs/${runId}/turns/1`)
  await first.locator('.diff-widget', { hasText: 'Keep <b>this</b>' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('m')
  const whole = second.getByRole('textbox', { name: `Comment on #` })
  await expect.poll(() => whole.evaluate((at) => at === document.activeElement)).toBe(true)
  await choose(page, 1, 'Deny')
  await whole.press('Control+Shift+Enter')
  await whole.fill('For colleagues')
  await whole.press('Control+Enter')
  await second.getByRole('listitem').filter({ hasText: 'For colleagues' }).waitFor()
  expect(await page.locator('main b').count()).toBe(0)
  expect(await statesOf(db, requestIds)).toEqual(['pending', 'pending'])
  await first.getByText('The agent reads it, and 1 remark on lines.').waitFor()
  expect(await axeProblemsInBothSchemes(page)).toEqual([])
  await first.getByRole('radio', { name: 'Deny', exact: true }).press('2')
  const reason = first.getByLabel('Reason')
  await reason.fill(`${await reason.inputValue()}: one key`)
  // What was not sent is there after a reload, on the page of the request too.
  await page.goto(`${dashboard.url}/requests/${requestIds[0]}`)
  await page.keyboard.press('d')
  expect(await page.getByLabel('Reason').inputValue()).toBe('too wide: one key')
  await page.goto(`${dashboard.url}/runs/${runId}/turns/1`)
  await choose(page, 1, 'Deny')
  expect(await reason.inputValue()).toBe('too wide: one key')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => statesOf(db, requestIds)).toEqual(['denied', 'pending'])
  await group(page, 1).waitFor({ state: 'detached' })
  await first.locator('.diff-gutter-delete').first().click()
  expect(await first.getByLabel('Comment on old line 1').count()).toBe(0)
})

test('an undecided call has no accent colour, and a phone first shows a changed line below the folded list of files', async () => {
  const before = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join('')
  await dashboard.desk.write('notes/s.md', before)
  const { runId } = await ask(
    dashboard.desk,
    [writeCall('notes/s.md', before.replace('line 10', 'line ten')), writeCall('notes/t.md')],
    'Two',
  )
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`, { viewport: phone })
  const changed = (await page.locator('.diff-code-insert').first().boundingBox())!
  const bar = (await page.getByRole('region', { name: 'Decisions' }).boundingBox())!
  expect(changed.y + changed.height).toBeLessThanOrEqual(bar.y)
  const dot = group(page, 1).getByRole('radio', { name: 'Leave', exact: true, checked: true })
  const accent = 'rgb(59, 73, 184)'
  const coloursOf = (it: Element): string[] => {
    const { borderTopColor, backgroundColor } = getComputedStyle(it)
    return [borderTopColor, backgroundColor]
  }
  expect(await dot.evaluate(coloursOf)).not.toContain(accent)
  await choose(page, 1, 'Deny')
  const chosen = group(page, 1).getByRole('radio', { name: 'Deny', exact: true })
  expect(await chosen.evaluate(coloursOf)).toEqual([accent, accent])
  const entry = page.getByRole('navigation', { name: 'Files and calls' }).getByRole('button')
  expect(await entry.count()).toBe(0)
  await page.getByText('Files and calls', { exact: true }).click()
  expect(await entry.count()).toBe(2)
})

test('the settings of differences and the buttons of a call take no line of their own', async () => {
  const { runId } = await ask(
    dashboard.desk,
    ['notes/a.md', 'notes/b.md'].map((path) => writeCall(path)),
    'Two',
  )
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`)
  const middleOf = async (part: Locator): Promise<number> => {
    const box = await part.boundingBox()
    return (box?.y ?? Number.NaN) + (box?.height ?? 0) / 2
  }
  const first = page.locator('.change-call').first()
  const risk = first.locator('.risk')
  const comment = first.getByRole('button', { name: 'Comment' })
  await comment.waitFor()
  expect(Math.abs((await middleOf(comment)) - (await middleOf(risk)))).toBeLessThan(4)
  const back = page.getByRole('link', { name: 'The run', exact: true })
  const settings = page.getByRole('group', { name: 'How differences are shown' })
  expect(Math.abs((await middleOf(settings)) - (await middleOf(back)))).toBeLessThan(4)
  await page.setViewportSize(phone)
  const unfold = page.getByRole('button', { name: 'How differences are shown' })
  expect(Math.abs((await middleOf(unfold)) - (await middleOf(back)))).toBeLessThan(4)
  await unfold.click()
  expect(await middleOf(settings)).toBeGreaterThan(await middleOf(unfold))
})

test('a turn of sixty calls opens; the lines of a far call are drawn, and count as seen, once it is on the screen', async () => {
  const text = Array.from({ length: 50 }, (_, line) => `row ${line + 1}\n`).join('')
  const calls = Array.from({ length: 60 }, (_, at) => writeCall(`notes/sixty/${at + 1}.md`, text))
  const { requestIds, runId } = await ask(dashboard.desk, calls, 'Sixty')
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`)
  await page.getByRole('heading', { name: '60 of 60 to decide' }).waitFor()
  const last = page.getByRole('article').nth(59)
  await last.getByText('50 lines, drawn when they come near the screen.').waitFor()
  await last.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  const tree = page.getByRole('navigation', { name: 'Files and calls' })
  await tree.getByRole('button', { name: '60.md' }).click()
  await last.getByText('row 1', { exact: true }).waitFor()
  await expect
    .poll(() => last.evaluate((it) => Math.round(it.getBoundingClientRect().top)))
    .toBeLessThan(200)
  expect(await page.locator('.change-call .code-line').count()).toBeLessThan(2_600)
  await last.getByText('row 50', { exact: true }).scrollIntoViewIfNeeded()
  await last.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  await expect.poll(() => statesOf(db, requestIds.slice(-1))).toEqual(['approved'])
  expect(dashboard.complaints).toEqual([])
})

test('hostile names stay text, on a phone and by keyboard, and the page passes axe in light and dark', async () => {
  const hostile = 'notes/\u202Edm.\u200B<img src=x onerror=alert(1)>.md'.replaceAll(
    /[\u202E\u200B]/g,
    '',
  )
  const { requestIds, runId } = await ask(
    dashboard.desk,
    [
      writeCall(hostile, '<script>alert(1)</script>\n\u202Eevil\n'),
      { tool: 'delete_file', input: { path: 'notes/d.md' } },
    ],
    'See <b>here</b> [link](https://evil.example) \u202E',
  )
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`, {
    viewport: phone,
    hasTouch: true,
  })
  await page.getByText('Blocked by policy').waitFor()
  expect(await page.locator('main img, main script, main a[href*=evil]').count()).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await axeProblemsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('n')
  await page.keyboard.press('v')
  const viewed = page.getByRole('button', { name: 'Viewed', pressed: true })
  await viewed.waitFor()
  await page.reload()
  await viewed.waitFor()
  await page.keyboard.press('n')
  await page.keyboard.press('d')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => statesOf(db, requestIds)).toEqual(['denied', undefined])
})

test('a stranger to the run, and a turn that was not made, find nothing', async () => {
  const { runId } = await ask(dashboard.desk, [writeCall('notes/z.md')], 'One')
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/2`)
  await page.getByText('Nothing here that you may see').waitFor()
})
