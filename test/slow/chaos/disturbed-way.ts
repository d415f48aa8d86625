import { listenHere } from '../../harness/listen.ts'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** Where a server is to be found now, `host:port`; it may not be there yet. */
export type FindServer = () => Promise<string>

/** A way to a server on which bytes are late, stand still, or are lost with their connection. */
export class DisturbedWay implements AsyncDisposable {
  readonly #find: FindServer
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #latencyMs = 0
  #standing: Promise<void> = Promise.resolve()

  static async to(find: FindServer): Promise<DisturbedWay> {
    const server = createServer()
    await listenHere(server)
    return new DisturbedWay(find, server)
  }

  private constructor(find: FindServer, server: Server) {
    this.#find = find
    this.#server = server
    server.on('connection', (socket) => void this.#pass(socket))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Every connection that there is breaks off. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Nothing passes for so long; connections stay. */
  async stall(forMs: number): Promise<void> {
    const over = delay(forMs)
    this.#standing = Promise.all([this.#standing, over]).then(() => undefined)
    await over
  }

  /** Every piece of bytes takes so much longer, for so long. */
  async slow(latencyMs: number, forMs: number): Promise<void> {
    this.#latencyMs += latencyMs
    await delay(forMs)
    this.#latencyMs -= latencyMs
  }

  async #pass(socket: Socket): Promise<void> {
    const [host = '', port = ''] = (await this.#find().catch(() => '')).split(':')
    if (port === '') {
      socket.destroy()
      return
    }
    const onward = connect({ host, port: Number(port) })
    for (const end of [socket, onward]) {
      this.#sockets.add(end)
      end.setNoDelay(true)
      end.on('close', () => this.#sockets.delete(end))
    }
    await Promise.allSettled([this.#forward(socket, onward), this.#forward(onward, socket)])
    socket.destroy()
    onward.destroy()
  }

  /** Ends with the other end: a server that is gone is gone for its client too. */
  async #forward(from: Socket, to: Socket): Promise<void> {
    const passing = async function* (this: DisturbedWay, pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        await this.#standing
        if (this.#latencyMs > 0) await delay(this.#latencyMs)
        yield piece
      }
    }
    await pipeline(from, passing.bind(this), to).catch(() => {
      from.destroy()
      to.destroy()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, 'close')
  }
}
