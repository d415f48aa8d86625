import type { Installation } from '../../harness/installation/installation.ts'
import type { TestSession } from '../../harness/installation/test-session.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { chaosProject } from './chaos-project.ts'
import { readJournal } from './journal.ts'

/** A project whose clerk writes once into the journal, for this long. */
export function clerkProject(forMs: number): Record<string, string> {
  return {
    ...chaosProject(),
    'scripts/clerk.yaml': `turns:
  - text: I write into the journal.
    calls: [{ tool: write_journal, input: { journal: journal.txt, forMs: ${forMs} } }]
  - text: Done.
`,
  }
}

/** A clerk's run, whose write Grace approved and has begun. */
export interface WritingClerk {
  readonly grace: TestSession
  readonly runId: string
  readonly requestId: string
  requests(): Promise<readonly Record<string, unknown>[]>
}

/** Starts the clerk, approves its write, and waits until that has begun. */
export async function startClerk(installation: Installation): Promise<WritingClerk> {
  const ada = await installation.signIn('ada@example.com')
  const grace = await installation.signIn('grace@example.com')
  const started = await ada.post('/v1/runs', { worker: 'clerk', input: 'Write' })
  const runId = String(started.body['id'])
  const requests = async (): Promise<readonly Record<string, unknown>[]> =>
    (await grace.get(`/v1/requests?runId=${runId}`)).body['items'] as Record<string, unknown>[]
  await waitUntil(async () => (await requests()).length === 1)
  const [{ id, digest, revision } = {}] = await requests()
  const requestId = String(id)
  const decision = { decision: 'approve', digest, revision, scope: 'once' }
  await grace.post(`/v1/requests/${requestId}/decisions`, decision)
  await waitUntil(async () => (await readJournal(installation.folder)).begun.size === 1)
  return { grace, runId, requestId, requests }
}
