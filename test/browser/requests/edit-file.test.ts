import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { JsonObject } from '#domain/json/json.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { cancelRun } from '#services/engine/lifecycle/cancel-run.ts'
import { reviseRequest } from '#services/revising/revise-request.ts'
import { ask, openDashboard, phone, type Dashboard } from '../open-dashboard.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { setRows } from '../../harness/fixtures/rows.ts'
import { axeProblemsInBothSchemes } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())

const hostile = '<img src=x onerror=alert(1)> \u202Etxt\u200B'

async function openEditor(
  call: Parameters<typeof ask>[1][number],
  options: Parameters<Dashboard['open']>[2] = {},
): Promise<{ page: Page; id: string; runId: string; loaded: string[] }> {
  const { requestIds, runId } = await ask(dashboard.desk, [call], 'A change.')
  const id = requestIds[0] ?? ''
  const page = await dashboard.open('Grace', `/requests/${id}`, options)
  const loaded: string[] = []
  page.on('response', (response) => loaded.push(response.url()))
  await page.locator('.diff, .code').first().waitFor()
  if (options.viewport !== undefined) await page.getByRole('button', { name: 'Decide…' }).click()
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  return { page, id, runId, loaded }
}

/** The editor of a written file with the text `old`, with this typed before it. */
async function typeInto(path: string, typed: string) {
  const opened = await openEditor(writeCall(path, 'old'))
  const editor = opened.page.getByLabel('content')
  await editor.waitFor()
  await opened.page.keyboard.type(typed)
  return { ...opened, editor }
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Signed in as Grace' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
}

const detail = (request: string) =>
  getRequest(dashboard.desk.api, dashboard.desk.people.grace.caller, { request })

// Rules: product.md 11
test('a written file is edited in the page, to the byte, and the keys of the page are text in it', async () => {
  const content = `first\n${hostile}\r\nlast\n`
  const path = 'notes/write.md'
  const { page, id, loaded } = await openEditor({ tool: 'write_file', input: { path, content } })
  const editor = page.getByLabel('content')
  await editor.waitFor()
  expect(loaded.some((url) => /file-edit-form/.test(url))).toBe(true)
  await editor.getByTitle(/202E/).waitFor()
  expect(await page.locator('main img[src]').count()).toBe(0)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('jdaz nothing is decided')
  const difference = page.getByRole('group', { name: 'What differs from the proposal' })
  await difference.locator('.diff-code-insert', { hasText: 'jdaz nothing' }).waitFor()
  await page.keyboard.press('Escape')
  expect(page.url()).toContain(id)
  await page.keyboard.press('Tab')
  expect(await editor.evaluate((at) => at.matches(':focus'))).toBe(false)
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('revision 2').first().waitFor()
  await editor.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  expect(await detail(id)).toMatchObject({
    revision: 2,
    state: 'pending',
    input: { path, content: `${content}jdaz nothing is decided` },
  })
  expect(dashboard.complaints).toEqual([])
})

test('edits of a file are made from the file that results, and change nothing else of it', async () => {
  const lines = Array.from({ length: 40 }, (_, line) => `line ${line % 4}`)
  await dashboard.desk.write('notes/edit.md', lines.join('\n'))
  const whole = [{ find: lines.join('\n'), replace: ['start', ...lines.slice(6)].join('\n') }]
  const { page, id } = await openEditor({
    tool: 'edit_file',
    input: { path: 'notes/edit.md', edits: whole },
  })
  const editor = page.getByLabel('Resulting file')
  await editor.getByText('start').waitFor()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('# ')
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('revision 2').first().waitFor()
  const { presentation, revision, input } = await detail(id)
  expect([revision, presentation.type]).toEqual([2, 'diff'])
  expect(presentation.content).toContain('+# start')
  expect(presentation.metadata).toMatchObject({ added: 1, removed: 6 })
  expect(input).toMatchObject({ path: 'notes/edit.md' })
  expect(dashboard.complaints).toEqual([])
})

test('what is typed into a file stays while the file cannot be loaded again', async () => {
  await dashboard.desk.write('notes/typed.md', 'old\n')
  const { page, id } = await openEditor({
    tool: 'edit_file',
    input: { path: 'notes/typed.md', edits: [{ find: 'old', replace: 'new' }] },
  })
  await page.getByLabel('Resulting file').getByText('new').waitFor()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('kept ')
  await page.route('**/content', (route) => route.fulfill({ status: 503, json: {} }))
  const refused = page.waitForResponse('**/content')
  // The page loads everything again once the service is back.
  await dashboard.stopListening()
  await page.locator('[data-state="reconnecting"]').waitFor()
  await dashboard.listenAgain()
  await refused
  await page.locator('[data-state="live"]').waitFor()
  await page.keyboard.type('and ')
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('revision 2').first().waitFor()
  expect((await detail(id)).presentation.content).toContain('+kept and new')
})

const change = (id: string, input: JsonObject) => {
  const { api, people } = dashboard.desk
  return detail(id).then(({ digest, revision }) =>
    reviseRequest(api, people.linus.caller, { request: id, input, digest, revision }),
  )
}

/** Runs in the page: the names of the drafts that it keeps. */
const draftsInTab = (): string[] =>
  Object.keys(sessionStorage).filter((key) => key.startsWith('countersign.draft.'))

const unsent = (page: Page, words: string) =>
  page.locator('.unsent-change').filter({ hasText: words })

test('what a person typed into a file is there after they left the editor or the page, until they remove it', async () => {
  const path = 'notes/left.md'
  const { page, id, editor } = await typeInto(path, 'typed ')
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await unsent(page, 'Your change of the file in revision 1 is not sent.').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Continue the change' }).click()
  await editor.getByText('typed old').waitFor()
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('revision 2').first().waitFor()
  expect((await detail(id)).input).toMatchObject({ path, content: 'typed old' })
  expect(await page.locator('.unsent-change').count()).toBe(0)
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.goto(`${dashboard.url}/requests/${id}`)
  await page.locator('.diff, .code').first().waitFor()
  expect(await page.locator('.unsent-change').count()).toBe(0)
})

// Rules: product.md 11
test('what a person typed into a file is there after a colleague changed it, and still after another cancelled the run', async () => {
  const path = 'notes/colleague.md'
  const { page, id, runId, editor } = await typeInto(path, 'typed ')
  await change(id, { path, content: 'changed by Linus' })
  await page.getByText('This changed since you opened it').waitFor()
  await page.getByText(/Linus changed it at \d\d:\d\d: it is revision 2 now/).waitFor()
  await editor.getByText('typed old').waitFor()
  await page.getByRole('button', { name: 'Show the new revision' }).click()
  // The new revision is read first, and nothing of the earlier one is sent unseen.
  await page.locator('.code', { hasText: 'changed by Linus' }).waitFor()
  await unsent(page, 'is not sent; this is revision 2.').waitFor()
  await page.getByRole('button', { name: 'Continue the change' }).click()
  await editor.getByText('typed old').waitFor()
  const difference = page.getByRole('group', { name: 'What differs from the proposal' })
  await difference.getByText('changed by Linus').waitFor()
  const { api, people } = dashboard.desk
  await cancelRun(api, people.ada.caller, { runId })
  await page.getByText('It can no longer be decided').waitFor()
  await editor.waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Continue the change' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Copy my change' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('typed old')
  await unsent(page, 'in revision 2').getByRole('button', { name: 'Remove' }).click()
  await page.locator('.unsent-change').waitFor({ state: 'detached' })
})

test('a change of an earlier revision does not replace the change of the newest one, and can be copied', async () => {
  const path = 'notes/two-changes.md'
  const { page, id, editor } = await typeInto(path, 'one ')
  await change(id, { path, content: 'changed by Linus' })
  await page.getByRole('button', { name: 'Show the new revision' }).click()
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await editor.getByText('changed by Linus').waitFor()
  await page.keyboard.type('two ')
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  const [first, second] = [unsent(page, 'in revision 1'), unsent(page, 'in revision 2')]
  await second.waitFor()
  expect(await first.getByRole('button', { name: 'Continue the change' }).count()).toBe(0)
  await first.getByRole('button', { name: 'Copy my change' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('one old')
  await second.getByRole('button', { name: 'Continue the change' }).click()
  await editor.getByText('two changed by Linus').waitFor()
})

test('a change of the input of a call that results in a file continues in the fields of the input', async () => {
  const input = { path: 'notes/fields.md', content: 'old' }
  const { page } = await openEditor({ tool: 'write_file', input })
  await page.getByRole('button', { name: 'Change the input field by field instead' }).click()
  const field = page.getByRole('textbox', { name: 'path' })
  await field.fill('notes/other-fields.md')
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await unsent(page, 'Your change of the input').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Continue the change' }).click()
  await field.waitFor()
  expect(await field.inputValue()).toBe('notes/other-fields.md')
})

test('a person who changed the fields of an input and chose to deny gets the editor of the file when they edit again', async () => {
  const { page } = await openEditor({
    tool: 'write_file',
    input: { path: 'notes/back-to-file.md', content: 'old' },
  })
  await page.getByRole('button', { name: 'Change the input field by field instead' }).click()
  await page.getByRole('textbox', { name: 'path' }).waitFor()
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await page.getByLabel('content').getByText('old').waitFor()
  expect(await page.getByRole('textbox', { name: 'path' }).count()).toBe(0)
})

test('a change of which only the answer was lost is not said to be unsent', async () => {
  const { page, id } = await typeInto('notes/lost-answer.md', 'sent ')
  await page.route('**/revisions', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  // The page may learn of the revision before it learns that its call failed.
  await expect.poll(async () => (await detail(id)).revision).toBe(2)
  await page.reload()
  await page.locator('.code', { hasText: 'sent old' }).waitFor()
  await expect.poll(() => page.evaluate(draftsInTab)).toEqual([])
  expect(await page.locator('.unsent-change').count()).toBe(0)
})

test('what a person typed is not in the tab any more after they signed out', async () => {
  const { page } = await typeInto('notes/signed-out.md', 'typed by Grace ')
  await expect.poll(() => page.evaluate(draftsInTab)).toHaveLength(1)
  await signOut(page)
  expect(await page.evaluate(draftsInTab)).toEqual([])
})

test('a person signs out, and what they typed is gone, also if their session has ended and the cache of the browser cannot be deleted', async () => {
  const { page } = await typeInto('notes/ended-elsewhere.md', 'typed by Grace ')
  await expect.poll(() => page.evaluate(draftsInTab)).toHaveLength(1)
  await page.evaluate(() => {
    caches.delete = () => Promise.reject(new Error('no access'))
  })
  await page.route('**/v1/auth/logout', async (route) => {
    await page.context().clearCookies()
    await route.fulfill({ status: 401, json: { code: 'unauthenticated', detail: 'Sign in.' } })
  })
  await signOut(page)
  expect(await page.evaluate(draftsInTab)).toEqual([])
})

test('a member of an input that a person changed is there after a colleague changed another one, which stays', async () => {
  // Bytes are edited field by field.
  const input = { path: 'notes/bytes.md', content: 'AAAA', encoding: 'base64' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'Bytes.')
  const id = requestIds[0] ?? ''
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await page.getByLabel('content', { exact: true }).fill('BBBB')
  await change(id, { ...input, path: 'notes/other-bytes.md' })
  await page.getByRole('button', { name: 'Show the new revision' }).click()
  await page.getByRole('button', { name: 'Continue the change' }).click()
  await page.getByLabel('content', { exact: true }).waitFor()
  const value = (label: string) => page.getByLabel(label, { exact: true }).inputValue()
  expect(await value('content')).toBe('BBBB')
  expect(await value('path')).toBe('notes/other-bytes.md')
})

test('a form that does not load says so in its place, and leaves the decision and its reason to be made', async () => {
  const input = { path: 'notes/no-form.md', content: 'AAAA', encoding: 'base64' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'Bytes.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0] ?? ''}`)
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByLabel('Reason').fill('typed before')
  await page.route('**/assets/edit-form-*.js', (route) => route.abort())
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  const panel = page.getByRole('complementary', { name: 'Decision' })
  await panel.getByRole('alert').getByText('This part did not load').waitFor()
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  expect(await page.getByLabel('Reason').inputValue()).toBe('typed before')
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await panel.getByRole('alert').waitFor()
  await page.unroute('**/assets/edit-form-*.js')
  await panel.getByRole('button', { name: 'Load the page again' }).click()
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await page.getByLabel('content', { exact: true }).waitFor()
})

test('a file that is not the one that was shown is not edited; its input is, field by field', async () => {
  await dashboard.desk.write('notes/other.md', 'old\n')
  const call = {
    tool: 'edit_file',
    input: { path: 'notes/other.md', edits: [{ find: 'old', replace: 'new' }] },
  }
  const { requestIds } = await ask(dashboard.desk, [call], 'A change.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.route('**/content', async (route) => {
    const answer = await route.fetch()
    const headers = { ...answer.headers(), 'x-content-digest': `sha256:${'0'.repeat(64)}` }
    await route.fulfill({ response: answer, headers, body: 'evil\n' })
  })
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await page.getByRole('alert').getByText('differs from the one shown here').first().waitFor()
  expect(await page.getByText('evil').count()).toBe(0)
  await page.getByLabel('edits').fill('[{"find": "old", "replace": "newer"}]')
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('revision 2').first().waitFor()
  expect((await detail(requestIds[0] ?? '')).presentation.content).toContain('+newer')
})

test('the editor colours what is written, passes axe on a desktop and a phone, in light and dark, and fits its screen', async () => {
  for (const options of [{}, { viewport: phone, hasTouch: true }]) {
    const path = `notes/axe-${Object.keys(options).length}.ts`
    await dashboard.desk.write(path, 'old\n')
    const input = { path, content: `const price = 'free' // ${hostile}\n` }
    const { page } = await openEditor({ tool: 'write_file', input }, options)
    const editor = page.getByLabel('content')
    await editor.locator('.paint-keyword', { hasText: 'const' }).waitFor()
    await page.keyboard.type('export ')
    await editor.locator('.paint-keyword', { hasText: 'export' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await axeProblemsInBothSchemes(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      page.viewportSize()?.width ?? 0,
    )
  }
})

test('a person who changes a call is warned, before it is sent, that too few others could then decide it', async () => {
  const input = { path: 'notes/few.md', content: 'first\n' }
  const { page } = await openEditor({ tool: 'write_file', input })
  await page.getByLabel('content').waitFor()
  const warning = page.getByText('Too few people could approve your change')
  expect(await warning.count()).toBe(0)
  const { db } = dashboard.desk.database
  await setRows(db, 'person', { email: 'linus@example.com' }, { disabled_at: new Date() })
  await page.reload()
  await page.getByText('At present too few others could then decide it').waitFor()
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await warning.waitFor()
  await page.getByText('Without you the quorum lacks 1 of platform').waitFor()
})
