import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { CommandLine } from '../cli/command-line.ts'
import { Installation } from '../harness/installation/installation.ts'
import { approve, requestsOf } from '../harness/installation/run-requests.ts'
import { startRun } from '../harness/installation/start-run.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { putFiles } from '../harness/put-file.ts'
import { dumpProject } from '../previous/dump-project.ts'
import { dumpNames, readDump } from '../previous/restored-dump.ts'
import { startInstallationIn } from '../runtime/started-installation.ts'
import { chaosProject } from './chaos/chaos-project.ts'
import { readJournal } from './chaos/journal.ts'

const write = '{ tool: write_journal, input: { journal: journal.txt, forMs: 1 } }'
/** Writes when it begins, and ends only once the project has a file `go`. */
const slowTool = `import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { defineTool } from 'countersign'
import { z } from 'zod'

export default defineTool({
  name: 'write_slowly',
  description: 'Write into the journal, and wait',
  inputSchema: z.object({}),
  approval: () => 'ask',
  execute: async (_input, { idempotencyKey }) => {
    const project = join(import.meta.dirname, '..')
    appendFileSync(join(project, 'journal.txt'), \`begin \${idempotencyKey}\\n\`)
    while (!existsSync(join(project, 'go'))) await delay(20)
    appendFileSync(join(project, 'journal.txt'), \`end \${idempotencyKey}\\n\`)
    return { written: true }
  },
})
`

function project(): Record<string, string> {
  const base = chaosProject()
  const clerk = base['workers/clerk.md'] ?? ''
  const worker = (name: string): string =>
    clerk
      .replaceAll('clerk', name)
      .replace('tools: { write_journal: {} }', 'tools: { write_journal: {}, write_slowly: {} }')
  return {
    ...base,
    'tools/write-slowly.ts': slowTool,
    'workers/both.md': worker('both'),
    'scripts/both.yaml': `turns:\n  - text: Two.\n    calls: [{ tool: write_slowly, input: {} }, ${write}]\n  - text: Done.\n`,
    'workers/twice.md': worker('twice'),
    'scripts/twice.yaml': `turns:\n  - text: One.\n    calls: [${write}]\n  - text: Two.\n    calls: [${write}]\n  - text: Done.\n`,
  }
}

async function begin(installation: Installation, worker: string): Promise<string> {
  return startRun(await installation.signIn('ada@example.com'), { worker, input: 'Write' })
}

/** Waits until so many requests of the run are pending; answers them. */
async function pendingOf(
  installation: Installation,
  runId: string,
  count: number,
): Promise<RequestItem[]> {
  const grace = await installation.signIn('grace@example.com')
  let pending: RequestItem[] = []
  await waitUntil(
    async () => {
      const all = await requestsOf(grace, runId)
      pending = all.filter(({ state }) => state === 'pending')
      return pending.length === count || `${pending.length} of ${all.length} are pending`
    },
    { withinMs: 120_000, everyMs: 200 },
  )
  return pending
}

/** Waits until so many requests of the run are pending; approves each. */
async function approvePending(
  installation: Installation,
  runId: string,
  count: number,
): Promise<void> {
  const grace = await installation.signIn('grace@example.com')
  for (const request of await pendingOf(installation, runId, count)) await approve(grace, request)
}

async function untilRun(installation: Installation, runId: string, state: string): Promise<void> {
  const grace = await installation.signIn('grace@example.com')
  await waitUntil(
    async () => {
      const found = (await grace.get(`/v1/runs/${runId}`)).body['state']
      return found === state || `the run is ${String(found)}`
    },
    { withinMs: 120_000, everyMs: 200 },
  )
}

/** How often each call began, as the tools themselves wrote it down. */
async function begun(installation: Installation): Promise<number[]> {
  return [...(await readJournal(installation.folder)).begun.values()]
}

async function countersign({ folder }: { folder: string }, ...args: string[]): Promise<string> {
  const { out, err } = await new CommandLine(folder).run(...args)
  return out + err
}

test('after a restore into an older Postgres, and after an emptied Temporal, nothing is executed twice', async () => {
  await using installation = await Installation.start(project())
  const { dataDir, folder } = installation
  const kept = await mkdtemp(join(tmpdir(), 'countersign kept '))
  await using _kept = {
    [Symbol.asyncDispose]: () => rm(kept, { recursive: true, force: true }),
  }
  const file = join(kept, 'all.backup')

  // At the backup one call runs, the one after it is approved, and a request of another run is
  // pending.
  const both = await begin(installation, 'both')
  const run = await begin(installation, 'clerk')
  await approvePending(installation, both, 2)
  await pendingOf(installation, run, 1)
  await waitUntil(async () => (await begun(installation)).length === 1, { withinMs: 120_000 })
  expect(await countersign(installation, 'backup', '--out', file)).toContain(
    'It does not contain the private keys',
  )
  await approvePending(installation, run, 1)
  await writeFile(join(folder, 'go'), '')
  await untilRun(installation, both, 'completed')
  await untilRun(installation, run, 'completed')
  expect(await begun(installation)).toEqual([1, 1, 1])

  // Postgres goes back to the backup; Temporal has all of it behind itself.
  await installation.restart(async () => {
    expect(await countersign(installation, 'restore', file)).toContain('is not empty')
    await rename(join(dataDir, 'postgres'), join(kept, 'postgres'))
    await writeFile(join(kept, 'half'), 'no backup')
    expect(await countersign(installation, 'restore', join(kept, 'half'))).toContain('is damaged')
    expect(await countersign(installation, 'restore', file)).toContain(
      'countersign doctor --repair',
    )
    await expect(startInstallationIn(folder)).rejects.toThrow('countersign doctor --repair')
    expect(await countersign(installation, 'doctor')).toContain('PROBLEM  record')
    expect(await countersign(installation, 'doctor', '--repair')).toContain(
      'the epoch is 2 now; 2 calls that may have run became outcome checks',
    )
  })
  const grace = await installation.signIn('grace@example.com')
  const checks = await pendingOf(installation, both, 2)
  expect(checks.map(({ kind }) => kind)).toEqual(['outcome_check', 'outcome_check'])
  for (const { id } of checks) {
    const body = { ran: true, then: 'continue', reason: 'The journal has it' }
    expect(await grace.post(`/v1/requests/${id}/settle`, body)).toMatchObject({ status: 200 })
  }
  await untilRun(installation, both, 'completed')
  // What was decided in the lost time is asked again: only a person can say whether it ran.
  const [again] = await pendingOf(installation, run, 1)
  expect(again?.kind).toBe('tool_call')
  expect(await begun(installation)).toEqual([1, 1, 1])

  // The reverse: Postgres knows of a call that ran, and Temporal of nothing at all.
  const twice = await begin(installation, 'twice')
  await approvePending(installation, twice, 1)
  await waitUntil(async () => (await requestsOf(grace, twice)).length === 2, {
    withinMs: 120_000,
  })
  await installation.restart(async () => {
    for (const end of ['', '-wal', '-shm'])
      await rm(join(dataDir, `temporal-1.31.sqlite${end}`), { force: true })
    await expect(startInstallationIn(folder)).rejects.toThrow(
      'is not the one this installation belongs to',
    )
    expect(await countersign(installation, 'doctor', '--repair')).toContain('the epoch is 3 now')
  })
  await approvePending(installation, twice, 1)
  await untilRun(installation, twice, 'completed')
  expect(await begun(installation)).toEqual([1, 1, 1, 1, 1])
  expect(await pendingOf(installation, run, 1)).toHaveLength(1)
}, 600_000)

test('an installation that the first version left goes on under this one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign first '))
  await using undo = new AsyncDisposableStack()
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755)
  putFiles(folder, dumpProject())
  const [first = ''] = await dumpNames()
  const dump = join(import.meta.dirname, '..', 'previous', 'dumps', `${first}.backup`)
  expect(await countersign({ folder }, 'restore', dump)).toContain('restored ')
  expect(await countersign({ folder }, 'doctor', '--repair')).toContain(
    'the epoch is 2 now; 2 calls that may have run became outcome checks',
  )
  const started = await startInstallationIn(folder)
  undo.defer(async () => void (await started.stop()))
  const grace = await started.signIn('grace@example.com')
  const run = (await readDump(first)).facts.runs.find(({ scene }) => scene === 'waiting')
  const requests = await requestsOf(grace, run?.id ?? '')
  expect(requests.map(({ state }) => state)).toEqual(['pending', 'pending'])
  for (const request of requests) {
    await approve(grace, request, { reason: 'Nothing ran since: looked.' })
  }
  await writeFile(join(folder, 'go'), '')
  await waitUntil(
    async () => {
      const { state } = (await grace.get(`/v1/runs/${run?.id ?? ''}`)).body
      return state === 'completed' || `the run is ${String(state)}`
    },
    { withinMs: 120_000, everyMs: 200 },
  )
  expect(await readFile(join(folder, 'notes', 'waiting.md'), 'utf8')).toBe('still\n')
  expect(await readFile(join(folder, 'journal.txt'), 'utf8')).toMatch(/^waiting \S+\n$/)
}, 600_000)
