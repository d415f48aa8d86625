import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCluster, type Cluster } from '../../scripts/cluster/start-cluster.ts'
import { approve, requestsOf } from '../harness/installation/run-requests.ts'
import { startRun } from '../harness/installation/start-run.ts'
import { TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'

/**
 * A dead host is noticed 10 s after its last heartbeat, a lost short transaction after 30 s; and
 * the machine is busy.
 */
const recoversWithinMs = 240_000

let folder: string
let cluster: Cluster

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign cluster '))
  await chmod(folder, 0o755)
  cluster = await startCluster({ project: folder, environment: process.env, log: () => undefined })
}, 600_000)
afterAll(async () => {
  await cluster?.stop()
  await rm(folder, { recursive: true, force: true })
}, 240_000)

function signIn(api: number, email: string): Promise<TestSession> {
  return TestSession.start(cluster.apis[api]?.url ?? '', email, cluster.devToken)
}

async function untilRun(session: TestSession, id: string, expected: string): Promise<void> {
  await waitUntil(
    async () => {
      const { body } = await session.get(`/v1/runs/${id}`)
      return body['state'] === expected || `the run is not ${expected}: ${JSON.stringify(body)}`
    },
    { withinMs: recoversWithinMs, everyMs: 100 },
  )
}

test('the sample run goes through the production shape, although an API and a Temporal worker die in the middle', async () => {
  const ada = await signIn(0, 'ada@example.com')
  const runId = await startRun(ada, { worker: 'release-notes', input: 'Complete the notes' })
  const grace = await signIn(1, 'grace@example.com')
  await untilRun(grace, runId, 'waiting_for_approval')
  process.kill(cluster.apis[0]?.identity.pid ?? 0, 'SIGKILL')
  process.kill(cluster.workers[0]?.identity.pid ?? 0, 'SIGKILL')
  const [request] = await requestsOf(grace, runId)
  if (request === undefined) throw new Error('nothing waits for Grace')
  await approve(grace, request)
  await untilRun(grace, runId, 'completed')
  // Whatever the worker was at when it died: only what nobody may know is asked, and a read is not.
  expect(await requestsOf(grace, runId)).toMatchObject([{ id: request.id, state: 'approved' }])
  expect((await grace.get(`/v1/requests/${request.id}`)).body).toMatchObject({
    execution: { state: 'succeeded', attempt: 1 },
  })
  const notes = await readFile(join(cluster.projectDir, 'notes', '1.2.md'), 'utf8')
  expect(notes).toContain('Exports no longer stop at 10,000 rows')
}, 600_000)
