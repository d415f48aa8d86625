import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { oneAtATime } from '#domain/sharing/one-at-a-time.ts'
import { judgeTarget, type ProxyHost } from './judge-target.ts'

const connectWithinMs = 15_000

/** The open connections of a proxy: those of its clients, and those to the listed domains. */
export class ProxyConnections {
  readonly #open = new Set<Duplex>()
  /** One look-up of a name at a time, so that a command cannot use all threads for look-ups. */
  readonly #lane = randomUUID()
  readonly #entries: readonly string[]
  readonly #host: ProxyHost

  constructor(entries: readonly string[], host: ProxyHost) {
    this.#entries = entries
    this.#host = host
  }

  /** Counts a connection as open until it closes. One that fails closes. */
  hold<T extends Duplex>(socket: T): T {
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    socket.on('error', () => socket.destroy())
    return socket
  }

  /** Connects to a host of a command; rejects with `TargetRefused` where it is not listed. */
  async reach(target: { readonly host: string; readonly port: number }): Promise<Socket> {
    const judge = async () => judgeTarget(this.#entries, target, this.#host)
    const addresses = await oneAtATime(this.#lane, judge)
    let failure: unknown = new Error('no address answered')
    for (const address of addresses) {
      try {
        return this.hold(await connectTo(address, target.port))
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
  }
}

function connectTo(address: string, port: number): Promise<Socket> {
  const socket = connect({ host: address, port })
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  socket.setTimeout(connectWithinMs, () => socket.destroy(new Error('it did not answer in time')))
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.setTimeout(0)
    socket.off('error', reject)
    resolve(socket)
  })
  return promise
}
