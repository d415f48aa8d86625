import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCluster } from '../../src/runtime/cluster/start-cluster.ts'
import type { Cluster } from '../../src/runtime/cluster/start-cluster.ts'
import { signInLocally } from '../../src/runtime/supervisor/local-session.ts'
import type { LocalSession } from '../../src/runtime/supervisor/local-session.ts'
import { waitUntil } from '../harness/wait-until.ts'

type Run = { id: string; state: string }
type Request = { id: string; digest: string; revision: number; execution: { state: string } }

let folder: string
let cluster: Cluster

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign cluster '))
  await chmod(folder, 0o755)
  cluster = await startCluster({ project: folder, environment: process.env, log: () => undefined })
}, 300_000)
afterAll(async () => {
  await cluster?.stop()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

function signIn(api: number, email: string): Promise<LocalSession> {
  return signInLocally(cluster.apis[api]?.url ?? '', email, cluster.devToken)
}

async function runState(session: LocalSession, id: string): Promise<string> {
  return ((await session.get(`/v1/runs/${id}`)) as Run).state
}

async function pendingOf(session: LocalSession, runId: string): Promise<Request | undefined> {
  const path = `/v1/requests?state=pending&runId=${runId}`
  return ((await session.get(path)) as { items: Request[] }).items[0]
}

test('the sample run goes through the production shape, although an API and a Temporal worker die in the middle', async () => {
  const ada = await signIn(0, 'ada@example.com')
  const { id } = (await ada.post('/v1/runs', {
    worker: 'release-notes',
    input: 'Complete the notes',
  })) as Run
  const grace = await signIn(1, 'grace@example.com')
  await waitUntil(async () => (await runState(grace, id)) === 'waiting_for_approval', {
    withinMs: 60_000,
  })
  process.kill(cluster.apis[0]?.identity.pid ?? 0, 'SIGKILL')
  process.kill(cluster.workers[0]?.identity.pid ?? 0, 'SIGKILL')
  const request = await pendingOf(grace, id)
  if (request === undefined) throw new Error('nothing waits for Grace')
  const { digest, revision } = request
  await grace.post(`/v1/requests/${request.id}/decisions`, {
    decision: 'approve',
    digest,
    revision,
    scope: 'once',
  })
  await waitUntil(async () => (await runState(grace, id)) === 'completed', { withinMs: 60_000 })
  const decided = (await grace.get(`/v1/requests/${request.id}`)) as Request
  expect(decided.execution).toMatchObject({ state: 'succeeded', attempt: 1 })
  const notes = await readFile(join(cluster.projectDir, 'notes', '1.2.md'), 'utf8')
  expect(notes).toContain('Exports no longer stop at 10,000 rows')
}, 180_000)
