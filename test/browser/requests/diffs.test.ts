import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ask, openDashboard, phone, type Dashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { rowsOf } from '../../harness/fixtures/rows.ts'
import { axeProblems, axeProblemsInBothSchemes } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())

const source = Array.from({ length: 60 }, (_, index) => `export const value${index} = ${index}`)
const changed = source.map((line, index) =>
  index === 20 ? "export const value20 = 'twenty' // was a number" : line,
)
const text = (lines: readonly string[]) => `${lines.join('\n')}\n`

async function openChange(
  path: string,
  [before, after]: readonly [string, string],
  options: Parameters<Dashboard['open']>[2] = {},
): Promise<{ page: Page; requestId: string }> {
  await dashboard.desk.write(path, before)
  const input = { path, content: after }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A change.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, options)
  await page.locator('.diff, .code').first().waitFor()
  return { page, requestId: requestIds[0]! }
}

const showLines = (page: Page) =>
  page.getByRole('button', { name: /^Show [\d,]+ unchanged lines?$/ })

test('code is coloured by a worker that loads when a difference is shown, and its words stay text of the page', async () => {
  const { page } = await openChange('notes/values.ts', [text(source), text(changed)])
  await page.locator('.diff-code .paint-keyword', { hasText: 'export' }).first().waitFor()
  await page.locator('.diff-code-insert .paint-comment', { hasText: 'was a number' }).waitFor()
  await page.locator('.diff-code-insert .diff-code-edit', { hasText: 'twenty' }).first().waitFor()
  const line = page.locator('.diff-code-insert')
  expect(await line.innerText()).toBe(changed[20])
  const hostile = text(['// <img src=x onerror=alert(1)>', 'const a = "\u202Eevil" // раypal'])
  const { page: other } = await openChange('notes/hostile.ts', ['old\n', hostile])
  await other.locator('.diff-code .paint-comment', { hasText: '<img src=x' }).waitFor()
  expect(await other.locator('main img').count()).toBe(0)
  await other.locator('.diff-code .chip[title*="reading order"]').first().waitFor()
  expect(dashboard.complaints).toEqual([])
})

test('no two characters of what is approved are drawn as one sign', async () => {
  const change = ['const same = a == b\n', 'const same = a !== b // -> <=\n'] as const
  const { page } = await openChange('notes/signs.ts', change)
  await page.locator('.diff-code', { hasText: '!==' }).waitFor()
  const ligatures = await page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((element) => getComputedStyle(element).fontVariantLigatures !== 'none')
      .map(({ outerHTML }) => outerHTML.slice(0, 80)),
  )
  expect(ligatures).toEqual([])
})

test('unchanged lines are shown from the stored file, gap by gap and whole, and reading them is recorded', async () => {
  const { page, requestId } = await openChange('notes/gaps.ts', [text(source), text(changed)])
  expect(await showLines(page).allInnerTexts()).toEqual(['Show 17 unchanged lines'])
  await showLines(page).click()
  await page.locator('.diff-code-normal', { hasText: 'value0 = 0' }).waitFor()
  expect(await showLines(page).allInnerTexts()).toEqual(['Show 36 unchanged lines'])
  await page.getByRole('button', { name: 'Whole file' }).click()
  await page.locator('.diff-code-normal', { hasText: 'value59 = 59' }).waitFor()
  expect(await showLines(page).count()).toBe(0)
  expect(await page.locator('.diff-line').count()).toBe(61)
  const audited = await rowsOf(
    dashboard.desk.database.db,
    'audit_event',
    { request_id: requestId, type: 'content.revealed' },
    'type',
  )
  expect(audited).toHaveLength(1)
})

test('a file that is too long to draw whole says so, and its gaps are opened one by one', async () => {
  const long = Array.from({ length: 5_200 }, (_, line) => `line ${line}`)
  const after = ['a new line', ...long]
  const { page } = await openChange('notes/too-long.md', [text(long), text(after)])
  await page.getByRole('button', { name: 'Whole file' }).click()
  const words = page.getByText('Too long to show whole')
  await expect.poll(() => words.evaluate((it) => it === document.activeElement)).toBe(true)
  expect(await page.locator('.diff-line').count()).toBeLessThan(20)
  await showLines(page).click()
  await page.locator('.diff-code-normal', { hasText: /^line 900$/ }).waitFor()
  expect(await page.locator('.diff-line').count()).toBeLessThan(1_100)
})

test('a file that is not what was shown is not put between its lines', async () => {
  const { page, requestId } = await openChange('notes/other.ts', [text(source), text(changed)])
  await page.route('**/content', async (route) => {
    const answer = await route.fetch()
    const headers = { ...answer.headers(), 'x-content-digest': `sha256:${'0'.repeat(64)}` }
    await route.fulfill({ response: answer, headers, body: 'const evil = 1\n' })
  })
  expect(requestId).not.toBe('')
  await showLines(page).click()
  await page.getByRole('alert').getByText('differs from the one shown here').waitFor()
  expect(await page.getByText('evil').count()).toBe(0)
})

test('white space is ignored or shown, and lines beyond the right edge count as not seen', async () => {
  const before = text(['if (a) {', 'b()', '}', '', ...source])
  const after = text([
    'if (a) {',
    '  b()',
    '}',
    '',
    ...source.slice(0, -1),
    `// ${'long '.repeat(80)}`,
  ])
  const { page } = await openChange('notes/space.ts', [before, after])
  const fold = page.getByRole('button', { name: '1 line that changes in white space alone' })
  await fold.waitFor()
  await page.getByRole('button', { name: 'Ignore white space', pressed: true }).click()
  await fold.waitFor({ state: 'detached' })
  await page.locator('.diff-code-insert', { hasText: 'b()' }).waitFor()
  await page.getByRole('button', { name: 'Wrap lines', pressed: true }).click()
  await page.getByText('Lines continue beyond the right edge').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Wrap lines', pressed: false }).click()
  await page.getByText('Lines continue beyond the right edge').waitFor({ state: 'detached' })
})

test('a difference with its tools passes axe on a phone and a desktop, in light and dark', async () => {
  for (const options of [{}, { viewport: phone, hasTouch: true }]) {
    const path = `notes/axe-${Object.keys(options).length}.ts`
    const { page } = await openChange(path, [text(source), text(changed)], options)
    await showLines(page).click()
    await page.locator('.paint-keyword').first().waitFor()
    if (options.viewport === phone) {
      // On a phone in the head of the file, beside its name; its switches unfold below it.
      const head = page.locator('.file-head')
      const settings = page.getByRole('button', { name: 'How differences are shown' })
      const [name, button] = await Promise.all([
        head.locator('code').boundingBox(),
        settings.boundingBox(),
      ])
      expect(button?.y).toBeLessThan((name?.y ?? 0) + (name?.height ?? 0))
      expect(button?.x).toBeGreaterThanOrEqual((name?.x ?? 0) + (name?.width ?? 0))
      expect((await head.boundingBox())?.height).toBeLessThanOrEqual(46)
      expect(await page.getByRole('button', { name: 'Wrap lines' }).count()).toBe(0)
      await settings.tap()
      const switches = page.getByRole('group', { name: 'How differences are shown' })
      // Two lines at most, each as high as a thumb needs.
      expect((await switches.boundingBox())?.height).toBeLessThanOrEqual(2 * 44 + 6)
      await switches.getByRole('button', { name: 'Whole file' }).waitFor()
      await switches.getByRole('button', { name: 'Wrap lines', pressed: true }).waitFor()
    }
    expect(await axeProblemsInBothSchemes(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      page.viewportSize()?.width ?? 0,
    )
  }
})

test('a name that is too long to stand beside the tools of its file is broken at none of its words', async () => {
  const path = 'notes/guide/getting-started.md'
  const lines = text(source)
  const { page } = await openChange(path, [lines, `${lines}end\n`], { viewport: phone })
  const name = page.locator('.file-head > code')
  const height = (await name.boundingBox())?.height ?? Number.NaN
  expect(height).toBeLessThan(24)
  const settings = page.getByRole('button', { name: 'How differences are shown' })
  const [tools, head] = [await settings.boundingBox(), await page.locator('.file').boundingBox()]
  const right = (box: typeof tools) => (box?.x ?? 0) + (box?.width ?? Number.NaN)
  expect(Math.abs(right(tools) - right(head))).toBeLessThan(2)
})

test('a comment is written at its line, stands there for the next reader, and is counted with a denial, which says so until it is saved', async () => {
  const { page, requestId } = await openChange('notes/notes.ts', [text(source), text(changed)])
  await page.locator('.diff-gutter-insert').last().click()
  const field = page.getByLabel('Comment on new line 21')
  await expect.poll(() => field.evaluate((at) => at === document.activeElement)).toBe(true)
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByText('The agent reads it.', { exact: true }).waitFor()
  await field.fill('Use a number <b>here</b>')
  await page
    .getByText('The agent reads it. It does not read your 1 unsaved comment.', { exact: true })
    .waitFor()
  await page.getByRole('button', { name: 'Comment on the line' }).click()
  await field.waitFor({ state: 'detached' })
  await page.getByText('The agent reads it, and 1 remark on lines.', { exact: true }).waitFor()
  const linus = await dashboard.open('Linus', `/requests/${requestId}`)
  const note = linus.locator('.diff-widget', { hasText: 'Use a number <b>here</b>' })
  await note.getByText('Grace').waitFor()
  expect(await linus.locator('.diff-widget b').count()).toBe(0)
  expect(await axeProblems(linus)).toEqual([])
  await linus.getByRole('radio', { name: 'Deny', exact: true }).check()
  await linus.getByText('The agent reads it, and 1 remark on lines.').waitFor()
  await linus.getByLabel('Reason').fill('wrong type')
  await linus.getByRole('button', { name: 'Submit', exact: true }).click()
  await linus.getByText('Denied by you').waitFor()
  await linus.locator('.diff-gutter-insert').last().click()
  expect(await linus.getByLabel('Comment on new line 21').count()).toBe(0)
})

test('the page says how much has not been on the screen and leads there, until nothing is left', async () => {
  const lines = Array.from({ length: 300 }, (_, index) => `// line ${index}`)
  const { page } = await openChange('notes/long.ts', [text(source), text(lines)])
  const unseen = page.getByRole('button', { name: /^\d+% not seen yet: show it$/ })
  await unseen.waitFor()
  const before = await unseen.innerText()
  await unseen.click()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100)
  await expect.poll(() => unseen.innerText()).not.toBe(before)
  for (let step = 0; step < 30 && (await unseen.count()) > 0; step += 1) {
    await unseen.click({ timeout: 5_000 }).catch(() => undefined)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
  }
  await unseen.waitFor({ state: 'detached' })
})

test('a comment is put on a removed line by keyboard, edited and removed by who wrote it, and by nobody else', async () => {
  const { page, requestId } = await openChange('notes/mine.ts', [text(source), text(changed)])
  await page.keyboard.press('m')
  await page.keyboard.type('Keep the <i>number</i>')
  await page.keyboard.press('Tab')
  await page.keyboard.type('21')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const note = page.locator('.diff-widget', { hasText: 'Keep the <i>number</i>' })
  await note.waitFor()
  expect(await page.getByText(', old line 21').count()).toBe(1)
  await note.getByRole('button', { name: 'Edit' }).click()
  const field = page.getByLabel('Text of the comment')
  await expect.poll(() => field.evaluate((at) => at === document.activeElement)).toBe(true)
  await field.fill('Keep it \u202Eso')
  await page.getByRole('button', { name: 'Save' }).click()
  const edited = page.locator('.diff-widget', { hasText: 'Keep it' })
  await edited.getByText('Keep it').waitFor()
  const linus = await dashboard.open('Linus', `/requests/${requestId}`)
  const widget = linus.locator('.diff-widget', { hasText: 'Keep it' })
  await widget.waitFor()
  expect(await linus.locator('main i, main .diff-widget button').count()).toBe(0)
  await edited.getByRole('button', { name: 'Remove' }).click()
  await edited.waitFor({ state: 'detached' })
  await widget.waitFor({ state: 'detached' })
  expect(dashboard.complaints).toEqual([])
})
