import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findTemporalBinary } from '#runtime/embedded/temporal-binary.ts'
import { startTemporalServer, type TemporalServer } from '#runtime/embedded/temporal-server.ts'
import { identifyProcess } from '#runtime/processes/process-identity.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { startInstallationIn, type StartedInstallation } from './started-installation.ts'

let folder: string
let temporal: TemporalServer
let installation: StartedInstallation

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign slow '))
  await chmod(folder, 0o755)
  const log = () => undefined
  const binary = await findTemporalBinary({ log, environment: process.env })
  temporal = await startTemporalServer({ binary, uiPort: 'off', log })
})
afterAll(async () => {
  process.kill(temporal.pid, 'SIGCONT')
  await installation?.stop()
  await temporal.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Waits for a line of the supervisor, after the first `from` ones. */
async function untilLine(from: number, contains: string): Promise<void> {
  await waitUntil(() => installation.lines.slice(from).some((line) => line.includes(contains)), {
    withinMs: 120_000,
  })
}

test('a start waits for a Temporal that does not answer, says so, and serves once it does; so does a worker that is started again', async () => {
  process.kill(temporal.pid, 'SIGSTOP')
  const waits = Promise.withResolvers<string>()
  const starting = startInstallationIn(folder, {
    env: { TEMPORAL_ADDRESS: temporal.address },
    onLine: (line) => {
      if (line.includes('does not answer yet')) waits.resolve(line)
    },
  })
  const waited = await Promise.race([waits.promise, starting.then(() => 'it did not wait')])
  expect(waited).toBe(
    `temporal-worker: Temporal at ${temporal.address} does not answer yet: waiting for it, 120 s at most`,
  )
  process.kill(temporal.pid, 'SIGCONT')
  installation = await starting
  expect(installation.lines.filter((line) => line.includes('ended (code'))).toEqual([])

  const from = installation.lines.length
  const before = await installation.pidOf('temporal-worker')
  process.kill(temporal.pid, 'SIGSTOP')
  process.kill(before, 'SIGKILL')
  await untilLine(from, 'does not answer yet')
  process.kill(temporal.pid, 'SIGCONT')
  await untilLine(from, 'runs again')
  expect(identifyProcess(await installation.pidOf('temporal-worker'))).not.toBeNull()
  const deaths = installation.lines
    .slice(from)
    .filter((line) => line.startsWith('temporal-worker ended'))
  expect(deaths).toEqual(['temporal-worker ended (code 137): starting it again'])
}, 400_000)

test('an API that is started again waits for a Postgres that does not answer, and goes on once it does', async () => {
  const postgres = await installation.pidOf('postgres')
  const before = await installation.pidOf('api')
  const from = installation.lines.length
  process.kill(postgres, 'SIGSTOP')
  try {
    process.kill(before, 'SIGKILL')
    await untilLine(from, 'api: Postgres does not answer yet')
  } finally {
    process.kill(postgres, 'SIGCONT')
  }
  await untilLine(from, 'api runs again')
  const deaths = installation.lines.slice(from).filter((line) => line.startsWith('api ended'))
  expect(deaths).toEqual(['api ended (code 137): starting it again'])
}, 400_000)
