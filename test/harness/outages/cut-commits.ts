import { closeServer, listenHere } from '../listen.ts'
import { connect, createServer, type Socket } from 'node:net'

/**
 * The fate of a commit whose connection ends before the answer comes. `recorded`: Postgres has
 * committed it by then. `late`: it reaches Postgres once `letThrough` is called. `lost`: never.
 */
export type CommitFate = 'recorded' | 'late' | 'lost'

/** A proxy to Postgres that can lose the answer to a commit, as a failover or a network does. */
export interface CommitCutter extends AsyncDisposable {
  /** the address of the database through it */
  readonly url: string
  /** Ends the connection of the next commit. Resolves once that happened. */
  cutNext(fate?: CommitFate): Promise<void>
  /** Ends the connection of the next commit and refuses others until `letThrough` is called. */
  cutAll(): Promise<void>
  letThrough(): void
}

/** @example await using cutter = await openCommitCutter(database.url) */
export async function openCommitCutter(databaseUrl: string): Promise<CommitCutter> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let cut: { fate: CommitFate; refuses: boolean; done: () => void } | null = null
  let isRefusing = false
  let through = Promise.withResolvers<void>()
  const server = createServer((here) => {
    if (isRefusing) return void here.destroy()
    const there = connect(Number(target.port), target.hostname)
    let isCut = false
    const end = (): void => {
      sockets.delete(here)
      here.destroy()
      // Postgres must have read everything: a reset would discard the rest.
      there.end()
    }
    sockets.add(here)
    here.on('data', (chunk: Buffer) => {
      if (cut === null || !/\bcommit\b/i.test(chunk.toString('latin1'))) {
        there.write(chunk)
        return
      }
      const { fate, refuses, done } = cut
      cut = null
      isCut = true
      isRefusing = refuses
      if (fate === 'recorded') {
        there.write(chunk)
        let answer = ''
        there.on('data', (chunk: Buffer) => {
          answer += chunk.toString('latin1')
          // The last statement, whose answer comes first, may be in the same chunk as the commit.
          if (!/(?:COMMIT|ROLLBACK)\0/.test(answer)) return
          end()
          done()
        })
        return
      }
      if (fate === 'late') void through.promise.then(() => there.end(chunk))
      else there.destroy()
      here.destroy()
      done()
    })
    there.on('data', (chunk) => {
      if (!isCut) here.write(chunk)
    })
    there.on('error', end).on('close', end)
    here.on('error', () => isCut || end()).on('close', () => isCut || end())
  })
  const port = await listenHere(server)
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    cutNext: (fate = 'recorded') => new Promise((done) => (cut = { fate, refuses: false, done })),
    cutAll: () => new Promise((done) => (cut = { fate: 'recorded', refuses: true, done })),
    letThrough() {
      isRefusing = false
      through.resolve()
      through = Promise.withResolvers()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await closeServer(server)
    },
  }
}
