import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * A proxy to a port of this machine that can hold answers back, as a lost network or a stopped
 * process does.
 */
export interface SilentProxy extends AsyncDisposable {
  readonly port: number
  /**
   * From here on nothing arrives from the other side; connections stay open, and new ones are
   * taken.
   */
  fallSilent(): void
  /** Delivers what was held back. */
  speakAgain(): void
}

/** @example await using proxy = await openSilentProxy(Number(new URL(dashboard.url).port)) */
export async function openSilentProxy(port: number): Promise<SilentProxy> {
  const here = new Set<Socket>()
  let silent = false
  const server = createServer((socket) => {
    const there = connect(port, 'localhost')
    here.add(socket)
    if (silent) socket.cork()
    socket.pipe(there).pipe(socket)
    const end = (): void => {
      here.delete(socket)
      socket.destroy()
      there.destroy()
    }
    for (const side of [socket, there]) side.on('error', end).on('close', end)
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent() {
      silent = true
      for (const socket of here) socket.cork()
    },
    speakAgain() {
      silent = false
      for (const socket of here) socket.uncork()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of here) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
