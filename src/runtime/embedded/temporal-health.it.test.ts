import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { useTemporal } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { isTemporalHealthy } from './temporal-health.ts'

const uncaught: unknown[] = []
const record = (error: unknown): void => void uncaught.push(error)
let others: NodeJS.UncaughtExceptionListener[]
beforeEach(() => {
  uncaught.length = 0
  others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', record)
})
afterEach(() => {
  process.removeAllListeners('uncaughtException')
  for (const listener of others) process.on('uncaughtException', listener)
})

/** An address at which nothing listens. */
async function refusingAddress(): Promise<string> {
  const server = createServer()
  const port = await listenHere(server)
  await closeServer(server)
  return `127.0.0.1:${port}`
}

// A retry that was pending when its connection was closed threw in a timer: `start` ended.
test('a server that refuses connections is not healthy, and no retry outlives the question', async () => {
  const address = await refusingAddress()
  const pending = (): number =>
    process.getActiveResourcesInfo().filter((what) => /^(Timeout|TCP)/.test(what)).length
  const before = pending()
  const questions = [300, 500, 700, 900].map((ms) => isTemporalHealthy(address, 'default', ms))
  expect(await Promise.all(questions)).toEqual([false, false, false, false])
  await waitUntil(() => pending() <= before)
  expect(uncaught).toEqual([])
})

test('a server that serves the namespace is healthy, and one that has no such namespace is not', async () => {
  const { address, namespace } = await useTemporal()
  expect(await isTemporalHealthy(address, namespace, 30_000)).toBe(true)
  const unknown = 'a namespace that nobody has made, with a long name '.repeat(3)
  expect(await isTemporalHealthy(address, unknown, 30_000)).toBe(false)
}, 240_000)

test('a server that accepts connections and never answers is not healthy', async () => {
  const server = createServer()
  const port = await listenHere(server)
  const accepted = once(server, 'connection')
  const began = performance.now()
  expect(await isTemporalHealthy(`127.0.0.1:${port}`, 'default', 500)).toBe(false)
  expect(performance.now() - began).toBeGreaterThanOrEqual(450)
  await accepted
  server.close()
})
