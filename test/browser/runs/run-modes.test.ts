import { expect, test } from 'vitest'
import type { RunMode } from '#domain/policy/verdict.ts'
import { settleUnknown } from '#services/engine/executions/settle-unknown.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { openDashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { rowOf } from '../../harness/fixtures/rows.ts'

const dashboard = disposeAfterTests(await openDashboard())

/** A run of Olga's in a mode, whose only call has begun, and has an outcome check. */
async function startLost(mode: RunMode): Promise<{ runId: string; release: () => Promise<void> }> {
  const { desk } = dashboard
  const path = `notes/${mode}.md`
  desk.say({ text: 'I write.', calls: [{ tool: 'write_file', input: { path, content: 'x\n' } }] })
  const start = { worker: 'scribe', input: 'Write', mode }
  const { id: runId } = await startRun(desk.api, desk.people.olga.caller, start)
  await desk.turn(runId, 1)
  const [call] = await desk.calls(runId, 1)
  const callId = call?.id ?? ''
  const started = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  desk.beforeExecute = () => (started.resolve(), held.promise)
  const running = desk.execute(callId)
  await started.promise
  await settleUnknown(desk.worker, { callId })
  desk.beforeExecute = async () => undefined
  return {
    runId,
    release: async () => {
      held.resolve()
      await running
    },
  }
}

// Rules: product.md 21
test('every page of a run in approve_all says so, and who started it', async () => {
  const { desk } = dashboard
  const { runId, release } = await startLost('approve_all')
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  const banner = page.getByRole('note', { name: 'Mode of the run' })
  await banner.getByText('Approve all.').waitFor()
  expect(await banner.innerText()).toContain('Olga started this run in this mode')
  const { id } = await rowOf(desk.database.db, 'request', { run_id: runId })
  await page.goto(`${dashboard.url}/requests/${id}`)
  await banner.getByText('Approve all.').waitFor()
  expect(await banner.innerText()).toContain('Olga')
  await release()
})

// Rules: product.md 21
test('the page of a strict run shows its mode, and that of a run in the usual mode does not', async () => {
  const { desk } = dashboard
  const strict = await desk.start({ mode: 'strict' })
  const page = await dashboard.open('Ada', `/runs/${strict}`)
  const banner = page.getByRole('note', { name: 'Mode of the run' })
  await banner.getByText('Ada started this run in this mode').waitFor()
  await page.goto(`${dashboard.url}/runs/${await desk.start()}`)
  await page.getByRole('heading', { name: 'Turns' }).waitFor()
  expect(await banner.count()).toBe(0)
})
