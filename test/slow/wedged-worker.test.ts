import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Installation } from '../harness/installation/installation.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { chaosProject } from './chaos/chaos-project.ts'
import { readJournal } from './chaos/journal.ts'

const project = {
  ...chaosProject(),
  'scripts/clerk.yaml': `turns:
  - text: I write into the journal.
    calls: [{ tool: write_journal, input: { journal: journal.txt, forMs: 240000 } }]
  - text: Done.
`,
}

// Rules: security.md 27
test('a Temporal worker that hangs is killed and started again, and the call that it was at is checked, not repeated', async () => {
  await using installation = await Installation.start(project)
  const ada = await installation.signIn('ada@example.com')
  const grace = await installation.signIn('grace@example.com')
  const started = await ada.post('/v1/runs', { worker: 'clerk', input: 'Write' })
  const runId = String(started.body['id'])
  const requests = async () =>
    (await grace.get(`/v1/requests?runId=${runId}`)).body['items'] as Record<string, string>[]
  await waitUntil(async () => (await requests()).length === 1)
  const [asked] = await requests()
  if (asked === undefined) throw new Error('nothing waits')
  const { id, digest, revision } = asked
  const decision = { decision: 'approve', digest, revision, scope: 'once' }
  await grace.post(`/v1/requests/${id}/decisions`, decision)
  await waitUntil(async () => (await readJournal(installation.folder)).begun.size === 1)
  const hung = await installation.pidOf('temporal-worker')
  process.kill(hung, 'SIGSTOP')
  await waitUntil(async () => (await installation.pidOf('temporal-worker')) !== hung, {
    withinMs: 120_000,
    everyMs: 200,
  })
  await waitUntil(async () => (await requests()).some(({ kind }) => kind === 'outcome_check'), {
    withinMs: 120_000,
    everyMs: 200,
  })
  const { begun } = await readJournal(installation.folder)
  expect([...begun.values()]).toEqual([1])
  const url = await readFile(join(installation.folder, '.countersign', 'run', 'url'), 'utf8')
  expect((await fetch(`${url.trim()}/readyz`)).status).toBe(200)
}, 300_000)
