import { listenHere } from '../listen.ts'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A proxy to a server that can be cut and restored, like a server that goes down and comes back.
 */
export class Interruptible implements AsyncDisposable {
  readonly #target: { host: string; port: number }
  readonly #sockets = new Set<Socket>()
  #server: Server
  readonly #port: number

  static async to(address: string): Promise<Interruptible> {
    const [host = '', port = ''] = address.split(':')
    const server = createServer()
    await listenHere(server)
    return new Interruptible({ host, port: Number(port) }, server)
  }

  private constructor(target: { host: string; port: number }, server: Server) {
    this.#target = target
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    server.on('connection', (socket) => this.#pass(socket))
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`
  }

  #pass(socket: Socket): void {
    const onward = connect(this.#target)
    for (const end of [socket, onward]) {
      this.#sockets.add(end)
      end.on('error', () => undefined)
      end.on('close', () => {
        this.#sockets.delete(end)
        socket.destroy()
        onward.destroy()
      })
    }
    socket.pipe(onward).pipe(socket)
  }

  async interrupt(): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  async restore(): Promise<void> {
    this.#server = createServer((socket) => this.#pass(socket))
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.interrupt()
  }
}
