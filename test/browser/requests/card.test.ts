import { expect, test } from 'vitest'
import { ask, openDashboard, phone } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { axeProblems } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())

const aws = ['AKIA', 'IOSFODNN7', 'EXAMPLE'].join('')
const hostile = `<img src=x onerror=alert(1)> [x](https://evil.example) safe\u202Etxt`

/** A write whose path and text hold what a page must not run. */
async function hostileRequest(): Promise<string> {
  const path = 'notes/billing <img src=x>.md'
  const content = `first\n${hostile}\nkey ${aws}\n`
  const { requestIds } = await ask(
    dashboard.desk,
    [{ tool: 'write_file', input: { path, content } }],
    'I write it.',
  )
  return requestIds[0] ?? ''
}

// Rules: product.md 38; security.md 17
test('task, effect and cues come before what will happen, as text, each cue with its line', async () => {
  const id = await hostileRequest()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByRole('region', { name: 'Task' }).waitFor()
  const cues = page.getByRole('region', { name: 'What deserves attention' })
  await cues.getByText('Holds what looks like a secret').waitFor()
  await cues.getByText('Is about money').waitFor()
  const headline = page.getByRole('heading', { level: 1 })
  expect(await headline.textContent()).toContain('Create notes/billing <img src=x>.md with 3 lines')
  expect(await page.locator('main img, main script').count()).toBe(0)
  await cues.getByRole('link', { name: 'line 3' }).click()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('key')
  await cues.getByRole('link', { name: 'show the file' }).click()
  const effect = page.getByRole('region', { name: 'All that will happen' })
  expect(await effect.locator(':focus').textContent()).toContain('first')
  const tops = await Promise.all(
    [
      page.getByRole('region', { name: 'Task' }),
      headline,
      cues,
      page.getByRole('heading', { name: 'What will happen' }),
      page.getByRole('heading', { name: "The agent's statement" }),
      page.getByRole('heading', { name: 'Why this needs a decision' }),
      page.getByRole('heading', { name: 'Proof' }),
    ].map(async (place) => (await place.boundingBox())?.y ?? Number.NaN),
  )
  expect(tops).toEqual(tops.toSorted((one, other) => one - other))
  const why = page.getByRole('region', { name: 'Why this needs a decision' })
  expect(await why.innerText()).toMatch(/workers\/scribe\.md:\d/)
  expect(await why.locator('dt').allInnerTexts()).toEqual(['Rule', 'Queue', 'Risk', 'Quorum'])
  const at = page.getByRole('region', { name: 'Task' }).locator('time')
  expect(await at.getAttribute('title')).toMatch(/\d{4}/)
  // Hashes are in the folded proof only.
  expect(await page.getByRole('main').innerText()).not.toMatch(/sha256|[0-9a-f]{8}…/)
  expect(await axeProblems(page)).toEqual([])
})

test('the effect ends within the first 400 pixels on a phone', async () => {
  const path = `notes/${'a long name of a file '.repeat(8)}.md`
  const input = { path, content: `key ${aws}\n` }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'I write it.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  const effect = page.locator('h1 .effect')
  await effect.waitFor()
  const box = await effect.boundingBox()
  expect((box?.y ?? 999) + (box?.height ?? 999)).toBeLessThanOrEqual(400)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  await page.goto(`${dashboard.url}/`)
  const row = page.locator('.request-row').first()
  await row.getByText('Holds what looks like a secret').waitFor()
  expect(await axeProblems(page)).toEqual([])
})

test('the unseen share is on the line of the heading on a phone, with no empty line after it', async () => {
  const calls = [writeCall('notes/short.md', 'a\n'), writeCall('notes/long.md', 'a\n'.repeat(300))]
  const { requestIds } = await ask(dashboard.desk, calls, 'Two notes.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  const heading = page.getByRole('heading', { name: 'What will happen' })
  const region = page.getByRole('region', { name: 'All that will happen' })
  await region.waitFor()
  const [title, lines] = [await heading.boundingBox(), await region.boundingBox()]
  expect((lines?.y ?? 0) - (title?.y ?? 0) - (title?.height ?? 0)).toBeLessThanOrEqual(16)
  await page.goto(`${dashboard.url}/requests/${requestIds[1]}`)
  const note = page.getByRole('button', { name: /not seen yet/ })
  await note.waitFor()
  const words = await heading.evaluate((it) => {
    const range = document.createRange()
    range.selectNodeContents(it)
    const { right, bottom } = range.getBoundingClientRect()
    return { right, bottom }
  })
  const box = await note.boundingBox()
  expect(box?.x).toBeGreaterThan(words.right)
  expect(box?.y).toBeLessThan(words.bottom)
})

test('a row names its most important cue whole and counts the others, and says the text of each', async () => {
  await hostileRequest()
  const page = await dashboard.open('Grace', '/', { viewport: { width: 1440, height: 900 } })
  const row = page.locator('.request-row', { hasText: 'notes/billing' }).first()
  const cue = row.locator('.cue-short')
  await cue.waitFor()
  expect(await cue.locator('[aria-hidden]').first().innerText()).toMatch(/^\s*Adds a secret \+\d$/)
  const texts = (await cue.getAttribute('title')) ?? ''
  expect(texts).toContain('Holds what looks like a secret')
  expect(texts).toContain('Is about money')
  expect(await cue.locator('.visually-hidden').textContent()).toBe(texts.replaceAll('\n', '. '))
  expect(await row.locator('.request-what').getAttribute('title')).toContain(texts)
  // Neither the label nor the task is cut.
  for (const place of [cue, row.locator('.row-task .task-line')]) {
    const [inner, outer] = await place.evaluate(({ scrollWidth, clientWidth }) => [
      scrollWidth,
      clientWidth,
    ])
    expect(inner).toBe(outer)
  }
})
