import { expect, test } from 'vitest'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
for (let count = 0; count < 40; count += 1) {
  const runId = await dashboard.desk.start()
  await dashboard.desk.turn(runId, 1)
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
