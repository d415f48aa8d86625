import { expect, test } from 'vitest'
import { openDashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'

const dashboard = disposeAfterTests(await openDashboard())
await dashboard.desk.write('notes/read.md', 'text\n')

// Rules: product.md 15
test('a request shows its place in the batch and how each other call stands; the run page what each waits for', async () => {
  const { desk } = dashboard
  desk.say({
    text: 'Five calls.',
    calls: [
      { tool: 'read_file', input: { path: 'notes/read.md' } },
      writeCall('notes/first.md', 'one\n'),
      {
        tool: 'edit_file',
        input: { path: 'notes/first.md', edits: [{ find: 'one', replace: '2' }] },
      },
      { tool: 'delete_file', input: { path: 'notes/read.md' } },
      writeCall('scratch/free.txt', 'x\n'),
    ],
  })
  const { runId, turn } = await desk.startTurn()
  const calls = await desk.calls(runId, 1)
  await desk.execute(calls[0]!.id)
  await desk.decide(desk.people.grace, calls[2]!.requestId)
  expect(turn.kind).toBe('calls')

  const page = await dashboard.open('Grace', `/requests/${calls[2]!.requestId}`)
  const batch = page.getByRole('region', { name: 'Call 3 of 5 in this turn' })
  await batch.getByText('Assumes call 2 of 5').waitFor()
  const lines = await batch.getByRole('listitem').allInnerTexts()
  const sentences = lines.map((line) => line.replaceAll(/\s+/g, ' ').trim())
  expect(sentences).toEqual([
    '1. read_file notes/read.md without approval, has its result',
    expect.stringMatching(/^2\. Create notes\/first\.md .* waiting$/),
    expect.stringMatching(/^3\. This call: Edit notes\/first\.md: .* approved$/),
    '4. delete_file notes/read.md blocked by policy',
    '5. write_file scratch/free.txt without approval',
  ])
  await batch.getByRole('link', { name: /Create notes\/first\.md/ }).click()
  await page.getByRole('region', { name: 'Call 2 of 5 in this turn' }).waitFor()
  expect(await page.locator('.request-head .state-badge').textContent()).toBe('waiting')

  await page.goto(`${dashboard.url}/runs/${runId}`)
  const turns = page.getByRole('region', { name: 'Turns' })
  await turns.getByText('call 2 of 5, zone notes: write asks').waitFor()
  await turns
    .getByText(/zone notes: write asks, .*approved.*, waits for call 2 of this turn/)
    .waitFor()
  expect(await turns.getByRole('link', { name: 'Waits for a decision' }).count()).toBe(1)
  expect(await turns.getByText(/pre-approved.*, waits for call 2 of this turn/).count()).toBe(1)
})
