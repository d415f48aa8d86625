import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard

/** What of the rows ends beyond its row. */
const beyond = (page: Page) =>
  page.locator('.request-row').evaluateAll((rows) =>
    rows.flatMap((row) => {
      const end = row.getBoundingClientRect().right
      return [...row.querySelectorAll('.request-link, .request-times, .outcome')]
        .filter((part) => part.getBoundingClientRect().right > end)
        .map((part) => part.className)
    }),
  )

test.each([
  ['a phone', phone, false],
  ['a window of 320 pixels', { width: 320, height: 700 }, false],
  ['a list beside the card', { width: 1100, height: 800 }, true],
])(
  'a long outcome of a row that left the list stays within its row on %s',
  async (where, viewport, isSplit) => {
    const name = where.replaceAll(' ', '-')
    const [first, second, third] = ['first', 'second', 'third'].map(
      (each) => `notes/${each}-of-a-long-name-for-a-note-${name}.md`,
    )
    const { requestIds } = await ask(desk, [writeCall(first!), writeCall(second!)], 'Two notes.')
    const other = await ask(desk, [writeCall(third!)], 'A note.')
    const address = isSplit ? `/requests/${other.requestIds[0]}` : '/'
    const page = await dashboard.open('Grace', `${address}?q=${name}`, { viewport })
    const row = page.locator('.request-row', { hasText: second! })
    await row.waitFor()
    await page.locator('[data-state="live"]').waitFor()
    const { linus } = desk.people
    await desk.decide(linus, requestIds[0]!, { decision: 'deny', reason: 'no', then: 'stop' })
    await row.getByText(/^Cancelled: an earlier call/).waitFor()
    expect(await row.getAttribute('data-gone')).toBe('true')
    await page.screenshot({ path: `test-results/long-outcome-${name}.png` })
    expect(await beyond(page)).toEqual([])
    // The outcome does not cover the mark of the risk either.
    const mark = (await row.locator('.risk').boundingBox())!
    const outcome = (await row.locator('.outcome').boundingBox())!
    expect(outcome.x).toBeGreaterThanOrEqual(mark.x + mark.width)
  },
)
