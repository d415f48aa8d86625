import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { connectTemporal } from '#delivery/temporal-client.ts'
import { CommandLine } from '../cli/command-line.ts'
import { Installation } from '../harness/installation/installation.ts'
import { approve, requestsOf } from '../harness/installation/run-requests.ts'
import { startRun } from '../harness/installation/start-run.ts'
import type { TestSession } from '../harness/installation/test-session.ts'
import { askService } from '../harness/ask-service.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { startInstallationIn } from '../runtime/started-installation.ts'
import { chaosProject } from './chaos/chaos-project.ts'
import { readJournal } from './chaos/journal.ts'

const run = promisify(execFile)

/** Two gated calls, one after the other. */
const project = {
  ...chaosProject(),
  'scripts/clerk.yaml': `turns:
  - text: First.
    calls: [{ tool: write_journal, input: { journal: journal.txt, forMs: 1 } }]
  - text: Second.
    calls: [{ tool: write_journal, input: { journal: journal.txt, forMs: 2 } }]
  - text: Done.
`,
}

interface Run {
  readonly id: string
  readonly workflowId: string
  readonly state: string
}

async function people(installation: Installation) {
  return {
    ada: await installation.signIn('ada@example.com'),
    grace: await installation.signIn('grace@example.com'),
  }
}

async function begin(installation: Installation): Promise<string> {
  return startRun((await people(installation)).ada, { worker: 'clerk', input: 'Write' })
}

async function readRun(grace: TestSession, runId: string): Promise<Run> {
  return (await grace.get(`/v1/runs/${runId}`)).body as unknown as Run
}

/** Grace approves what the run asks next. */
async function approveNext(installation: Installation, runId: string): Promise<void> {
  const { grace } = await people(installation)
  let pending: RequestItem | undefined
  await waitUntil(
    async () => {
      pending = (await requestsOf(grace, runId)).find(({ state }) => state === 'pending')
      return pending !== undefined
    },
    { everyMs: 200 },
  )
  if (pending === undefined) throw new Error('nothing waits')
  await approve(grace, pending)
}

async function untilRun(
  installation: Installation,
  runId: string,
  state: string,
  requests: number,
): Promise<void> {
  const { grace } = await people(installation)
  await waitUntil(
    async () => {
      const found = await readRun(grace, runId)
      const openRequests = await requestsOf(grace, runId)
      return (found.state === state && openRequests.length === requests) || `it is ${found.state}`
    },
    { withinMs: 120_000, everyMs: 200 },
  )
}

async function doctor({ folder }: Installation, ...more: string[]): Promise<string> {
  return (await new CommandLine(folder).run('doctor', ...more)).out
}

async function workflowStatus(installation: Installation, workflowId: string): Promise<string> {
  const file = join(installation.dataDir, 'run', 'temporal.address')
  const address = (await readFile(file, 'utf8')).trim()
  await using temporal = connectTemporal({ address, namespace: 'default' })
  const handle = temporal.client.workflow.getHandle(workflowId)
  return (await temporal.withDeadline(() => handle.describe())).status.name
}

/**
 * The file and, where the server left one behind, its write-ahead log: what it holds belongs to the
 * copy.
 */
async function copyDatabase(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  if (existsSync(`${from}-wal`)) await copyFile(`${from}-wal`, `${to}-wal`)
}

test('with a Temporal from an older copy every run goes on from the store, nothing runs twice and nothing is cancelled', async () => {
  await using installation = await Installation.start(project)
  const { dataDir, folder } = installation
  const data = join(dataDir, 'temporal-1.31.sqlite')
  const [ended, further] = [await begin(installation), await begin(installation)]
  await untilRun(installation, ended, 'waiting_for_approval', 1)
  await untilRun(installation, further, 'waiting_for_approval', 1)
  await installation.restart(() => copyDatabase(data, `${data}.copy`))

  await approveNext(installation, ended)
  await untilRun(installation, ended, 'waiting_for_approval', 2)
  await approveNext(installation, ended)
  await untilRun(installation, ended, 'completed', 2)
  await approveNext(installation, further)
  await untilRun(installation, further, 'waiting_for_approval', 2)
  const later = await begin(installation)
  await untilRun(installation, later, 'waiting_for_approval', 1)

  await installation.restart(async () => {
    for (const end of ['-wal', '-shm']) await rm(`${data}${end}`, { force: true })
    await copyDatabase(`${data}.copy`, data)
    // A run that ended counts as revived once it had the time to end its workflow, and a new one as
    // missing once it had the time to be started.
    let found = ''
    await waitUntil(async () => {
      found = await doctor(installation)
      return (found.includes(`1 (${ended})`) && found.includes(`1 (${later})`)) || found
    })
    expect(found).toContain('PROBLEM  runs: runs without a workflow')
    expect(found).toContain('PROBLEM  runs: runs that have ended although their workflow goes on')
    const repaired = await doctor(installation, '--repair')
    expect(repaired).toContain('runs started again from their state in Postgres: 1')
    expect(repaired).toContain('runs woken, to read their state: 1')
    expect(repaired).not.toContain('the epoch is')
    expect(repaired).not.toContain('PROBLEM  runs: runs without')
  })

  const { grace } = await people(installation)
  const { workflowId } = await readRun(grace, ended)
  await waitUntil(
    async () => (await workflowStatus(installation, workflowId)) === 'COMPLETED' || 'it goes on',
    { everyMs: 200 },
  )
  await approveNext(installation, later)
  await approveNext(installation, further)
  // The workflow of this run waits for its first request; the reconciler sees that it stands still.
  await untilRun(installation, further, 'completed', 2)
  await untilRun(installation, later, 'waiting_for_approval', 2)
  await approveNext(installation, later)
  await untilRun(installation, later, 'completed', 2)

  const { begun } = await readJournal(folder)
  expect([...begun.values()]).toEqual([1, 1, 1, 1, 1, 1])
  for (const id of [ended, further, later]) {
    expect((await requestsOf(grace, id)).map(({ state }) => state)).toEqual([
      'approved',
      'approved',
    ])
  }
}, 600_000)

/** One call that somebody is asked about, and one behind it that nobody is. */
const asksAndNot = {
  ...chaosProject("(input) => (input.forMs === 2 ? 'preApproved' : 'ask')"),
  'scripts/clerk.yaml': `turns:
  - text: Both.
    calls:
      - { tool: write_journal, input: { journal: journal.txt, forMs: 1 } }
      - { tool: write_journal, input: { journal: journal.txt, forMs: 2 } }
  - text: Done.
`,
}

// architecture.md, never more certain than the facts.
test('with a Postgres from an older copy no call that Temporal had carried out runs again unless somebody says why', async () => {
  await using installation = await Installation.start(asksAndNot)
  const { dataDir, folder } = installation
  const [postgres, copy] = [join(dataDir, 'postgres'), join(dataDir, 'copy')]
  const id = await begin(installation)
  await untilRun(installation, id, 'waiting_for_approval', 1)
  await installation.restart(async () => void (await run('cp', ['-a', postgres, copy])))
  await approveNext(installation, id)
  await untilRun(installation, id, 'completed', 1)
  const twoLines = [1, 1]
  const begun = async () => [...(await readJournal(folder)).begun.values()]
  expect(await begun()).toEqual(twoLines)

  await installation.restart(async () => {
    await rm(postgres, { recursive: true })
    await rename(copy, postgres)
    const repaired = await doctor(installation, '--repair')
    expect(repaired).toContain('the epoch is 2 now; 1 call that may have run became outcome checks')
    expect(repaired).toContain('1 request that may have been decided in the time that was lost')
  })
  await untilRun(installation, id, 'waiting_for_approval', 2)
  const { grace } = await people(installation)
  const requests = await requestsOf(grace, id)
  const request = requests.find(({ kind }) => kind === 'tool_call')
  const check = requests.find(({ kind }) => kind === 'outcome_check')
  expect([request?.askedBeforeRestore, check?.askedBeforeRestore]).toEqual([true, false])
  const basis = { digest: request?.digest, revision: request?.revision }
  const approval = { decision: 'approve', ...basis, scope: 'once' }
  expect(await grace.post(`/v1/requests/${request?.id}/decisions`, approval)).toMatchObject({
    status: 422,
    body: { code: 'reason_required' },
  })
  const denial = { decision: 'deny', ...basis, then: 'continue', reason: 'It ran before.' }
  expect(await grace.post(`/v1/requests/${request?.id}/decisions`, denial)).toMatchObject({
    status: 200,
  })
  const finding = { ran: true, then: 'continue', reason: 'The journal has it.' }
  expect(await grace.post(`/v1/requests/${check?.id}/settle`, finding)).toMatchObject({
    status: 200,
  })
  await untilRun(installation, id, 'completed', 2)
  expect(await begun()).toEqual(twoLines)
}, 600_000)

test("at another installation's Temporal nothing starts and nothing is changed", async () => {
  await using installation = await Installation.start(project)
  const id = await begin(installation)
  await untilRun(installation, id, 'waiting_for_approval', 1)
  const { workflowId } = await readRun((await people(installation)).grace, id)
  const other = await askService('temporal')
  await installation.restart(async () => {
    await expect(
      startInstallationIn(installation.folder, { env: { TEMPORAL_ADDRESS: other } }),
    ).rejects.toThrow('Point TEMPORAL_ADDRESS at the right server')
    await using temporal = connectTemporal({ address: other, namespace: 'default' })
    const handle = temporal.client.workflow.getHandle(workflowId)
    await expect(handle.describe()).rejects.toThrow('not found')
  })
  await untilRun(installation, id, 'waiting_for_approval', 1)
  await approveNext(installation, id)
  await untilRun(installation, id, 'waiting_for_approval', 2)
  expect([...(await readJournal(installation.folder)).begun.values()]).toEqual([1])
}, 300_000)
