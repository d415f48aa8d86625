import { expect, test } from 'vitest'
import { Installation } from '../harness/installation/installation.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { chaosProject } from './chaos/chaos-project.ts'
import { readJournal } from './chaos/journal.ts'

interface Request {
  readonly id: string
  readonly kind: string
  readonly digest: string
  readonly revision: number
  readonly state: string
  readonly execution: { readonly state: string; readonly reason?: string } | null
}

/** Longer than a worker that is stopped lets its work finish. */
const project = {
  ...chaosProject(),
  'scripts/clerk.yaml': `turns:
  - text: I write into the journal.
    calls: [{ tool: write_journal, input: { journal: journal.txt, forMs: 90000 } }]
  - text: Done.
`,
}

test('a tool that runs when its worker is stopped gracefully is failed (stopped), not unknown, and the run goes on', async () => {
  await using installation = await Installation.start(project)
  const ada = await installation.signIn('ada@example.com')
  const grace = await installation.signIn('grace@example.com')
  const started = await ada.post('/v1/runs', { worker: 'clerk', input: 'Write' })
  const runId = String(started.body['id'])
  const requests = async (): Promise<Request[]> =>
    (await grace.get(`/v1/requests?runId=${runId}`)).body['items'] as Request[]
  await waitUntil(async () => (await requests()).length === 1)
  const [asked] = await requests()
  if (asked === undefined) throw new Error('nothing waits')
  const { id, digest, revision } = asked
  await grace.post(`/v1/requests/${id}/decisions`, {
    decision: 'approve',
    digest,
    revision,
    scope: 'once',
  })
  await waitUntil(async () => (await readJournal(installation.folder)).begun.size === 1)
  process.kill(await installation.pidOf('temporal-worker'), 'SIGTERM')
  await waitUntil(
    async () => {
      const { body } = await grace.get(`/v1/runs/${runId}`)
      return body['state'] === 'completed' || JSON.stringify([body['state'], await requests()])
    },
    { everyMs: 200 },
  )
  expect(await requests()).toMatchObject([
    { id, kind: 'tool_call', execution: { state: 'failed', reason: 'stopped' } },
  ])
  const { begun, ended } = await readJournal(installation.folder)
  expect([...begun.values()]).toEqual([1])
  expect(ended.size).toBe(0)
}, 240_000)
