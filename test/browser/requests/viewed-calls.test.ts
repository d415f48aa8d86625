import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { statesOf } from '../../harness/fixtures/rows.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { axeProblemsInBothSchemes } from '../../harness/programs/axe.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { db } = dashboard.desk.database
const linesOf = (name: string, count: number): string =>
  Array.from({ length: count }, (_, line) => `${name} ${line + 1}\n`).join('')

/** The change set of two long files and a short one. */
async function openTurn(name: string, viewport = { width: 1280, height: 900 }) {
  const paths = ['one', 'two', 'three'].map((file) => `notes/${name}-${file}.md`)
  const before = linesOf('old', 150)
  for (const path of paths.slice(0, 2)) await dashboard.desk.write(path, before)
  const calls = [
    ...paths.slice(0, 2).map((path) => writeCall(path, linesOf('new', 150))),
    writeCall(paths[2]!, 'short\n'),
  ]
  const { requestIds, runId } = await ask(dashboard.desk, calls, 'Three files')
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`, { viewport })
  await page.locator('article .diff').nth(1).waitFor()
  const cards = [0, 1, 2].map((at) => page.getByRole('article').nth(at))
  return { page, requestIds, first: cards[0]!, second: cards[1]!, third: cards[2]! }
}

// Rules: product.md 39; security.md 15
test('V folds a call with its box and opens it again, the focus and its head stay, and nothing of it counts as seen by that', async () => {
  const { page, requestIds, first, second } = await openTurn('fold')
  const rows = first.locator('.diff-line')
  // The last control of the lines has the focus, with most of them never on the screen.
  await first.locator('.every-byte').getByRole('button').first().focus()
  await page.keyboard.press('v')
  await first.getByRole('button', { name: 'Viewed', exact: true, pressed: true }).waitFor()
  expect(await rows.first().isVisible()).toBe(false)
  expect(await first.evaluate((card) => card.contains(document.activeElement))).toBe(true)
  const top = await first.evaluate((card) => card.getBoundingClientRect().top)
  expect(top).toBeGreaterThanOrEqual(56)
  expect(top).toBeLessThan(800)
  // A choice that lacks what was not on the screen leads into the folded lines.
  await first.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByText('does not count yet: Not all of it has been on the screen').waitFor()
  expect(await page.getByRole('button', { name: /^Submit/ }).isDisabled()).toBe(true)
  await page.reload()
  await first.getByRole('button', { name: 'Viewed: show the' }).waitFor()
  await first.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByRole('button', { name: 'Show it', exact: true }).click()
  await rows.first().waitFor()
  expect(await first.evaluate((card) => card === document.activeElement)).toBe(true)
  await first.getByRole('button', { name: /^\d+% not seen yet: show it$/ }).waitFor()
  for (const isOpen of [true, false, true]) {
    await page.keyboard.press('v')
    await expect.poll(() => rows.first().isVisible()).toBe(isOpen)
    expect(await first.evaluate((card) => card === document.activeElement)).toBe(true)
  }
  // What was seen before it was folded needs no second reading.
  await page.mouse.move(700, 500)
  const wheel = async (): Promise<void> => {
    for (let at = 0; at < 30; at += 1) {
      await page.mouse.wheel(0, 400)
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
      if ((await second.boundingBox())!.y < 500) return
    }
  }
  await wheel()
  await first.getByText('not seen yet').waitFor({ state: 'detached' })
  await page.keyboard.press('v')
  await first.getByRole('button', { name: 'Viewed: show the' }).waitFor()
  expect(await axeProblemsInBothSchemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Submit 1 decision' }).click()
  await expect.poll(() => statesOf(db, requestIds)).toEqual(['approved', 'pending', 'pending'])
  expect(dashboard.complaints).toEqual([])
})

test.each([
  ['a desktop', { width: 1280, height: 900 }],
  ['a phone', phone],
])(
  'the name of a file and its box stay below the header while its lines scroll, and cover no control with the focus, on %s',
  async (where, viewport) => {
    const { page, requestIds, first } = await openTurn(`stay-${where.slice(2)}`, viewport)
    const open = [
      [page.url(), '.change-call-head', first.locator('.diff-line').nth(120)],
      [
        `${dashboard.url}/requests/${requestIds[0]}`,
        '.file-head',
        page.locator('.diff-line').nth(120),
      ],
    ] as const
    for (const [address, selector, line] of open) {
      await page.goto(address)
      await line.waitFor()
      await line.evaluate((at) => at.scrollIntoView({ block: 'center' }))
      const header = (await page.locator('.header').boundingBox())!
      const head = (await page.locator(selector).first().boundingBox())!
      expect(head.y).toBeLessThanOrEqual(header.height + 1)
      expect(head.y + head.height).toBeGreaterThan(header.height + 20)
      const box = page.locator(selector).first().getByRole('button', { name: 'Viewed' })
      const isOnTop = (it: Element): boolean => {
        const { left, top, width, height } = it.getBoundingClientRect()
        const found = document.elementFromPoint(left + width / 2, top + height / 2)
        return it.contains(found)
      }
      expect(await box.evaluate(isOnTop)).toBe(true)
      // Backwards through all controls: each is where it can be seen once it has the focus.
      await page
        .locator(selector)
        .first()
        .evaluate(() => document.querySelector('main')?.focus())
      await page.keyboard.press('End')
      const covered: string[] = []
      let looks = 0
      for (let at = 0; at < 25; at += 1) {
        await page.keyboard.press('Shift+Tab')
        looks += await page.locator('main :focus').count()
        covered.push(
          ...(await page.evaluate(() => {
            const it = document.activeElement
            if (it === null || it.closest('main') === null || it.matches('main')) return []
            const { left, right, top, bottom } = it.getBoundingClientRect()
            const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
            // A radio button has its dot over it.
            const isThere =
              found !== null && (found.contains(it) || it.parentElement!.contains(found))
            return isThere ? [] : [`${it.tagName} ${it.textContent} at ${top}`]
          })),
        )
      }
      expect(covered).toEqual([])
      expect(looks).toBeGreaterThan(10)
    }
  },
)

// Rules: security.md 15
test('lines that were only behind the head of their file have not been on the screen, and the note leads to them', async () => {
  const { page, first } = await openTurn('behind')
  await first.evaluate(async (card) => {
    const region = card.querySelector('[aria-label="All that will happen"]')!
    const { height } = region.getBoundingClientRect()
    const header = document.querySelector('.header')!.getBoundingClientRect().bottom
    const screen = document.querySelector('.decide-bar')!.getBoundingClientRect().top - header
    for (let at = 0; at < height; at += screen) {
      window.scrollBy(0, region.getBoundingClientRect().top + at - header)
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    }
  })
  const note = first.getByRole('button', { name: /not seen yet: show it$/ })
  let presses = 0
  for (; (await note.count()) > 0 && presses < 20; presses += 1) {
    await note.click()
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
  }
  expect(presses).toBeGreaterThan(0)
  expect(presses).toBeLessThan(20)
  await first.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByRole('button', { name: 'Submit 1 decision' }).waitFor()
})
