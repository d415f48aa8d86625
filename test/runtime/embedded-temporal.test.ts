import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listenHere } from '../harness/listen.ts'
import { connectTemporal } from '#delivery/temporal-client.ts'
import { findTemporalBinary } from '#runtime/embedded/temporal-binary.ts'
import { startTemporalServer } from '#runtime/embedded/temporal-server.ts'
import type { TemporalServer } from '#runtime/embedded/temporal-server.ts'
import { isStillRunning } from '#runtime/processes/process-identity.ts'

let folder: string
const sentences: string[] = []
const log = (sentence: string) => void sentences.push(sentence)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign temporal '))
  sentences.length = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function start(port?: number): Promise<TemporalServer> {
  const binary = await findTemporalBinary({ log })
  const dataFile = join(folder, 'the data', 'temporal.sqlite')
  return startTemporalServer({
    binary,
    dataFile,
    uiPort: 'off',
    log,
    ...(port === undefined ? {} : { port }),
  })
}

async function namespaceIdOf(server: TemporalServer): Promise<string> {
  await using temporal = connectTemporal({
    address: server.address,
    tls: false,
    namespace: 'default',
  })
  return await temporal.namespaceId()
}

test('a second start, even after a kill, finds the same namespace on the same port', async () => {
  const first = await start()
  const id = await namespaceIdOf(first)
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  const second = await start(first.port)
  expect(second.port).toBe(first.port)
  expect(await namespaceIdOf(second)).toBe(id)
  await second.stop()
  expect(isStillRunning(second.identity)).toBe(false)
})

test('a server that still has the data file is stopped first, and that is said', async () => {
  const first = await start()
  const second = await start()
  expect(isStillRunning(first.identity)).toBe(false)
  expect(sentences.join()).toContain(`still runs here (process ${first.pid})`)
  await second.stop()
})

test('a taken port is replaced by a free one, and that is said', async () => {
  const other = createServer()
  const port = await listenHere(other)
  const server = await start(port)
  expect(server.port).not.toBe(port)
  expect(sentences).toContain(`port ${port} is taken: Temporal listens on ${server.port}`)
  await server.stop()
  other.close()
})
