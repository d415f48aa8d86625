import { expect, test } from 'vitest'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { ask, openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
for (let count = 0; count < 40; count += 1) {
  const { runId } = await dashboard.desk.startTurn()
  await closeRun(dashboard.desk.api, { runId })
}

test.each([1440, 390])(
  'a run below a screen of %i pixels has the height that it has when it is drawn',
  async (width) => {
    const viewport = { width, height: 500 }
    const page = await dashboard.open('Ada', '/runs', { viewport })
    const rows = page.locator('.run-row')
    await expect.poll(() => rows.count()).toBe(40)
    const heights = (visibility: string) =>
      rows.evaluateAll((all, value) => {
        for (const row of all) if (row instanceof HTMLElement) row.style.contentVisibility = value
        return all.slice(-10).map((row) => row.getBoundingClientRect().height)
      }, visibility)
    const reserved = await heights('')
    expect(reserved).toEqual(await heights('visible'))
  },
)

test.each([1440, 390])(
  'at %i pixels a run that waits says for whom and since when on one line, with the way to its requests, and has its reserved height',
  async (width) => {
    const input = { path: `notes/waits-${width}.md`, content: 'Text\n' }
    const { runId } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
    const page = await dashboard.open('Ada', '/runs', { viewport: { width, height: 500 } })
    const row = page.locator('.run-row').first()
    const end = row.locator('.run-end')
    await expect.poll(() => end.innerText()).toMatch(/waits for Grace, Linus since/)
    const lines = await end.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
    })
    expect(lines).toBe(1)
    const heights = await row.evaluate((element) => {
      const height = element.getBoundingClientRect().height
      const reserved = getComputedStyle(element).containIntrinsicHeight
      const { paddingTop, paddingBottom, borderTopWidth, borderBottomWidth } =
        getComputedStyle(element)
      const around = [paddingTop, paddingBottom, borderTopWidth, borderBottomWidth]
      return [height, around.reduce((sum, each) => sum + parseFloat(each), 0), reserved] as const
    })
    expect(`auto ${heights[0] - heights[1]}px`).toBe(heights[2])
    // Rows are told apart by the number, also where two have the same task.
    await row.getByRole('link', { name: /^Run \d+, scribe: / }).waitFor()
    await page.clock.setFixedTime(Date.now() + 5 * 60_000 + 1_000)
    await page.reload()
    await row.getByText(/5 min(utes)? ago/).waitFor()
    await row.getByRole('link', { name: /^1 to decide in run \d+$/ }).click()
    await page.waitForURL(`**/?runId=${runId}`)
  },
)

test('while the turns of a run load, the page does not say who is at work', async () => {
  const runId = await dashboard.desk.start()
  const page = await dashboard.open('Ada', '/runs')
  await page.route('**/transcript*', () => new Promise(() => {}))
  await page.goto(`${dashboard.url}/runs/${runId}`)
  await page.getByRole('heading', { name: 'Turns' }).waitFor()
  expect(await page.getByText('is at work').count()).toBe(0)
  await page.unroute('**/transcript*')
  await page.reload()
  await page.getByText('The model is at work.').waitFor()
})
