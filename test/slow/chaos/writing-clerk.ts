import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import type { Installation } from '../../harness/installation/installation.ts'
import { approve, requestsOf } from '../../harness/installation/run-requests.ts'
import { startRun } from '../../harness/installation/start-run.ts'
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
  requests(): Promise<readonly RequestItem[]>
}

/** Starts the clerk, approves its write, and waits until that has begun. */
export async function startClerk(installation: Installation): Promise<WritingClerk> {
  const ada = await installation.signIn('ada@example.com')
  const grace = await installation.signIn('grace@example.com')
  const runId = await startRun(ada, { worker: 'clerk', input: 'Write' })
  const requests = (): Promise<readonly RequestItem[]> => requestsOf(grace, runId)
  await waitUntil(async () => (await requests()).length === 1)
  const [request] = await requests()
  if (request === undefined) throw new Error('nothing waits')
  await approve(grace, request)
  await waitUntil(async () => (await readJournal(installation.folder)).begun.size === 1)
  return { grace, runId, requestId: request.id, requests }
}
