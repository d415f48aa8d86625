import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to Postgres that can lose the answer to a commit, as a failover or a network does. */
export interface CommitCutter extends AsyncDisposable {
  /** the address of the database through it */
  readonly url: string
  /**
   * The next commit reaches Postgres, and its connection ends before the answer comes. Resolves
   * once that happened.
   */
  cutNext(): Promise<void>
}

/** @example await using cutter = await openCommitCutter(database.url) */
export async function openCommitCutter(databaseUrl: string): Promise<CommitCutter> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let cut: (() => void) | null = null
  const server = createServer((here) => {
    const there = connect(Number(target.port), target.hostname)
    let isCut = false
    const end = (): void => {
      sockets.delete(here)
      here.destroy()
      // Postgres must have read everything: a reset would take back what it has not.
      there.end()
    }
    sockets.add(here)
    here.on('data', (chunk: Buffer) => {
      there.write(chunk)
      if (cut === null || !/\bcommit\b/i.test(chunk.toString('latin1'))) return
      const done = cut
      cut = null
      isCut = true
      // The first byte of an answer says that Postgres has worked it.
      there.once('data', () => {
        end()
        done()
      })
    })
    there.on('data', (chunk) => {
      if (!isCut) here.write(chunk)
    })
    for (const side of [here, there]) side.on('error', end).on('close', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutNext: () => new Promise((resolve) => (cut = resolve)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
