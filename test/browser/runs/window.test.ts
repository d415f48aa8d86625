import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig, type ModelStep } from '../../harness/fixtures/agent-desk.ts'
import { openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const models = 'models: { scripted-by-the-test: { context: 16000 } }\n'
await dashboard.desk.activate({ 'countersign.yaml': `${deskConfig}${models}` })
await dashboard.desk.write('notes/big.md', 'A line of the notes.\n'.repeat(600))

/** A model that calls a tool at every turn, and has a summary when it is asked for one. */
function step(tool: string, input: { readonly [key: string]: string }): ModelStep {
  return async ({ tools }) => {
    const calls = tools.length === 0 ? [] : [{ id: 'a', tool, input }]
    const text = tools.length === 0 ? 'I wrote <b>ten</b> files.' : 'I go on.'
    return { text, calls, usage: { inputTokens: 8000, outputTokens: 100 } }
  }
}

async function runOf(turns: number, next: ModelStep): Promise<string> {
  const { desk } = dashboard
  const runId = await desk.start()
  for (let turn = 1; turn <= turns; turn += 1) {
    desk.steps.length = 0
    desk.say(next, next, next)
    await desk.perform(await desk.turn(runId, turn))
  }
  return runId
}

// Rules: product.md 31
test('the page of a run shows how full the window is, and what the model no longer sees', async () => {
  const input = { path: 'notes/big.md' }
  const reading = await runOf(8, step('read_file', input))
  const page = await dashboard.open('Ada', `/runs/${reading}`)
  const meter = page.getByRole('meter', { name: 'Context window' })
  expect(await meter.getAttribute('aria-valuenow')).toBe('8100')
  await page.getByText('51% of 16,000 tokens').waitFor()
  const marks = page.getByText('not shown to the model any more since turn')
  await marks.first().waitFor()
  expect(await marks.count()).toBeLessThan(8)

  const content = 'A line of the file.\n'.repeat(600)
  const writing = await runOf(8, step('write_file', { path: 'scratch/a.txt', content }))
  await page.goto(new URL(`/runs/${writing}`, page.url()).href)
  const summary = page.getByRole('article', { name: /Summary of turns 1 to/ }).last()
  await summary.getByText('The summary that the model wrote').click()
  // What a model writes is no markup.
  await summary.getByText('I wrote <b>ten</b> files.').waitFor()
  const seenLess = await page.getByText('the model sees it only in its summary').count()
  expect(seenLess).toBeGreaterThan(0)
  expect(seenLess).toBeLessThan(8)
  expect(dashboard.complaints).toEqual([])
})
