import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useTemporal } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { connectTemporal } from './temporal-client.ts'

const temporal = await useTemporal()
afterEach(() => vi.restoreAllMocks())

type Manner = 'takes connections and never answers' | 'ends connections' | 'is there'

/** A proxy to Temporal: what happens to a connection is decided when it is accepted. */
interface Way extends AsyncDisposable {
  readonly address: string
  manner: Manner
  /** connections so far */
  taken: number
}

async function openWay(): Promise<Way> {
  const [host, port] = temporal.address.split(':')
  const sockets = new Set<Socket>()
  const way = { manner: 'takes connections and never answers' as Manner, taken: 0 }
  const server = createServer((socket) => {
    way.taken += 1
    sockets.add(socket.on('error', () => undefined))
    if (way.manner === 'ends connections') socket.destroy()
    if (way.manner !== 'is there') return void socket.resume()
    const there = connect(Number(port), host)
    sockets.add(there.on('error', () => undefined))
    socket.pipe(there).pipe(socket)
  })
  await listenHere(server)
  return Object.assign(way, {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await closeServer(server)
    },
  })
}

function setClockBackTenMinutes(): void {
  const now = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => now() - 10 * 60_000)
}

/** How long a call took to fail. */
async function failsAfter(call: Promise<unknown>): Promise<number> {
  const begunMs = performance.now()
  await expect(call).rejects.toThrow(/deadline|no answer/i)
  return performance.now() - begunMs
}

describe('a server that takes connections and never answers', () => {
  it('lets each call fail in time, also when the clock is set back meanwhile', async () => {
    await using way = await openWay()
    await using client = connectTemporal({ ...temporal, address: way.address, deadlineMs: 500 })
    expect(await failsAfter(client.namespaceId())).toBeLessThan(10_000)
    const failing = failsAfter(client.namespaceId())
    setClockBackTenMinutes()
    expect(await failing).toBeLessThan(10_000)
  })

  it('lets a call fail in time that is retried after the clock was set back', async () => {
    await using way = await openWay()
    way.manner = 'ends connections'
    await using client = connectTemporal({ ...temporal, address: way.address, deadlineMs: 2000 })
    const failing = failsAfter(client.namespaceId())
    await waitUntil(() => way.taken > 1)
    setClockBackTenMinutes()
    way.manner = 'takes connections and never answers'
    expect(await failing).toBeLessThan(20_000)
  })

  it('lets a call that is about to be retried fail when the connection is closed, without an uncaught error', async () => {
    await using way = await openWay()
    way.manner = 'ends connections'
    const uncaught = vi.fn<() => void>()
    process.on('uncaughtExceptionMonitor', uncaught)
    try {
      const client = connectTemporal({ ...temporal, address: way.address, deadlineMs: 3000 })
      const failing = client.namespaceId().then(
        () => 'reached',
        (error: unknown) => String(error),
      )
      await waitUntil(() => way.taken > 0)
      await client[Symbol.asyncDispose]()
      expect(await failing).toContain('UNAVAILABLE')
      expect(uncaught).not.toHaveBeenCalled()
    } finally {
      process.off('uncaughtExceptionMonitor', uncaught)
    }
  })

  it('is reached within seconds when it is back, with the clock set back: a new connection replaces the one that hangs', async () => {
    await using way = await openWay()
    await using client = connectTemporal({ ...temporal, address: way.address, deadlineMs: 2000 })
    const failing = failsAfter(client.namespaceId())
    setClockBackTenMinutes()
    await failing
    way.manner = 'is there'
    const reached = async () => (await client.namespaceId().catch(() => '')) !== ''
    await waitUntil(reached)
    const description = client.withDeadline(() => client.client.workflow.count())
    expect(await description).toMatchObject({ count: expect.any(Number) })
  })
})
