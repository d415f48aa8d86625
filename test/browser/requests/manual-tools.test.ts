import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskWorker } from '../../harness/fixtures/agent-desk.ts'
import { ask, openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const tools = 'tools:\n  delete_file: { manual: true }\n  write_file: {}\n'
await dashboard.desk.activate({
  'workers/scribe.md': deskWorker
    .replace('delete: blocked', 'delete: ask')
    .replace('---\nYou', `${tools}---\nYou`),
})
await dashboard.desk.write('notes/old.md', 'old\n')

test('the form for a tool by hand says that a run has none, and closes with the focus on its button', async () => {
  const { runId } = await ask(dashboard.desk, [{ tool: 'list_files', input: {} }], 'I look.')
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  await page.route('**/v1/runs/*/tools', (route) => route.fulfill({ json: { items: [] } }))
  const open = page.getByRole('button', { name: 'Invoke a tool by hand' })
  await open.click()
  const form = page.getByRole('region', { name: 'Invoke a tool by hand' })
  await form.getByText('This run has no manual tools.').waitFor()
  await form.getByRole('button', { name: 'Close' }).click()
  await open.waitFor()
  expect(await open.evaluate((it) => it === document.activeElement)).toBe(true)
})

// Rules: product.md 5
test('a manual tool is invoked from the run page by a form, and whoever invoked it cannot decide it', async () => {
  const input = { path: 'notes/new.md', content: 'New\n' }
  const turn = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Ada', `/runs/${turn.runId}`)
  await page.getByRole('button', { name: 'Invoke a tool by hand' }).click()
  const form = page.getByRole('region', { name: 'Invoke a tool by hand' })
  await form.getByLabel('path').fill('src/old.md')
  await form.getByRole('button', { name: 'Invoke', exact: true }).click()
  await form.getByRole('alert').getByText('read-only').waitFor()
  await form.getByLabel('path').fill('notes/old.md')
  await form.getByRole('button', { name: 'Invoke', exact: true }).click()
  await form.getByRole('status').getByRole('link', { name: 'the request' }).click()
  await page.getByRole('heading', { name: 'Delete notes/old.md' }).waitFor()
  await page.getByText(/Ada wants this.*by hand/).waitFor()
  await page.getByText('you started this run').first().waitFor()
  await page.goto(`${dashboard.url}/runs/${turn.runId}`)
  await page.getByText('invoked by hand').waitFor()
  expect(await page.getByRole('link', { name: 'Waits for a decision' }).count()).toBe(2)
})
