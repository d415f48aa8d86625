import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { CommandLine } from '../cli/command-line.ts'
import { approve, requestsOf } from '../harness/installation/run-requests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { startInstallationIn } from '../runtime/started-installation.ts'
import type { StartedInstallation } from '../runtime/started-installation.ts'

const run = promisify(execFile)
const proposed = 'Exports no longer stop at 10,000 rows'
let folder: string
let data: string
let running: StartedInstallation | null = null

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign restored '))
  await chmod(folder, 0o755)
  data = join(folder, '.countersign')
})
afterEach(async () => {
  await running?.stop()
  running = null
  await rm(folder, { recursive: true, force: true })
})

/** The sample run up to where it waits for Grace; answers her request. */
async function startWaiting(): Promise<RequestItem> {
  running = await startInstallationIn(folder)
  const grace = await running.signIn('grace@example.com')
  let waiting: RequestItem | undefined
  await waitUntil(
    async () => {
      waiting = (await requestsOf(grace)).find((request) => request.state === 'pending')
      return waiting !== undefined
    },
    { withinMs: 120_000, everyMs: 200 },
  )
  if (waiting === undefined) throw new Error('nothing waits')
  return waiting
}

async function untilCompleted(installation: StartedInstallation): Promise<void> {
  const grace = await installation.signIn('grace@example.com')
  const completed = waitUntil(
    async () => {
      const [newest] = (await grace.get('/v1/runs')).body['items'] as { state: string }[]
      return newest?.state === 'completed' || `the run is ${newest?.state}`
    },
    { withinMs: 120_000, everyMs: 100 },
  )
  await completed.catch(async (error: unknown) => {
    const requests = JSON.stringify(await requestsOf(grace))
    const found = [(await doctor()).text, requests, ...installation.lines].join('\n')
    throw new Error(`${String(error)}\n${found}`, { cause: error })
  })
}

function notes(): Promise<string> {
  return readFile(join(data, 'quickstart', 'notes', '1.2.md'), 'utf8')
}

async function doctor(...args: string[]): Promise<{ code: number | null; text: string }> {
  const { code, out, err } = await new CommandLine(folder).run('doctor', ...args)
  return { code, text: out + err }
}

test('with an emptied Temporal nothing starts, doctor says why, and after the repair the run goes on', async () => {
  const request = await startWaiting()
  await running?.stop()
  await rename(join(data, 'temporal-1.31.sqlite'), join(data, 'gone.sqlite'))
  for (const end of ['-wal', '-shm'])
    await rm(join(data, `temporal-1.31.sqlite${end}`), { force: true })
  await expect(startInstallationIn(folder)).rejects.toThrow(
    'is not the one this installation belongs to',
  )
  const before = await doctor()
  expect(before.code).toBe(1)
  expect(before.text).toContain('PROBLEM  namespace')
  expect(await notes()).not.toContain(proposed)

  const repaired = await doctor('--repair')
  expect(repaired.text).toContain('the epoch is 2 now; 0 calls')
  // Postgres lost nothing: what waits was not decided anywhere.
  expect(repaired.text).not.toContain('pending again')
  const again = await startInstallationIn(folder)
  running = again
  await approve(await again.signIn('grace@example.com'), request)
  await untilCompleted(again)
  expect(await notes()).toContain(proposed)
}, 360_000)

test('with a Postgres from before an approval nothing starts, and after the repair nothing runs a second time', async () => {
  const request = await startWaiting()
  await running?.stop()
  await run('cp', ['-a', join(data, 'postgres'), join(data, 'copy')])
  running = await startInstallationIn(folder)
  const first = running
  await approve(await first.signIn('grace@example.com'), request)
  await untilCompleted(first)
  await first.stop()

  await rm(join(data, 'postgres'), { recursive: true })
  await rename(join(data, 'copy'), join(data, 'postgres'))
  await expect(startInstallationIn(folder)).rejects.toThrow('restored from an older copy')
  expect((await doctor()).text).toContain('PROBLEM  record')
  expect(await doctor('--repair')).toMatchObject({
    code: 0,
    text: expect.stringContaining('the epoch is 2 now'),
  })

  const again = await startInstallationIn(folder)
  running = again
  const written = await notes()
  const grace = await again.signIn('grace@example.com')
  await approve(grace, request, { reason: 'I looked: it says what this would write.' })
  await untilCompleted(again)
  expect(await requestsOf(grace)).toMatchObject([
    { id: request.id, state: 'approved', execution: { state: 'refused', reason: 'stale' } },
  ])
  expect(await notes()).toBe(written)
}, 480_000)

test('with an emptied Postgres nothing starts before somebody has accepted that', async () => {
  await startWaiting()
  await running?.stop()
  await rm(join(data, 'postgres'), { recursive: true })
  await expect(startInstallationIn(folder)).rejects.toThrow('Postgres was emptied')
  expect((await doctor('--repair')).text).toContain(
    'the installation starts again from the beginning',
  )
  running = await startInstallationIn(folder)
  expect(await notes()).not.toContain(proposed)
}, 360_000)
