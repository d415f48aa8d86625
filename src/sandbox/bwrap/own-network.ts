import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { commandEnvironment } from './command-environment.ts'
import { leaveOnlyPublic } from './reachable-network.ts'

/**
 * The descriptors of a sandbox that gets a network: a file for the resolver, and what bubblewrap
 * waits for.
 */
export const networkDescriptors = { resolver: 9, block: 10 } as const

/** Where slirp4netns answers questions for names. */
export const resolverFile = 'nameserver 10.0.2.3\n'

const loopbackWithinMs = 3000

/** A network of a sandbox's own. */
export interface OwnNetwork {
  /** why there is none, once that is known: the rest of a sentence */
  readonly problem: string | null
  close(): void
}

/**
 * Gives a sandbox that was just started a network of its own through slirp4netns, which leads to
 * public addresses only (security.md 7, 30), and lets its command begin. `first` is its first
 * process. Without a network the sandbox is ended. The network ends with the sandbox, and with this
 * process.
 */
export function giveNetwork(sandbox: ChildProcess, first: Promise<number | null>): OwnNetwork {
  const block = (sandbox.stdio as readonly unknown[])[networkDescriptors.block] as Writable
  let problem: string | null = null
  let slirp: ChildProcess | null = null
  let over = false
  /** The first process inside, as long as it waits: it does not yet end with bubblewrap. */
  let waiting: number | null = null
  const abandon = (): void => {
    over = true
    slirp?.kill('SIGKILL')
    if (waiting !== null) kill(waiting)
    waiting = null
  }
  const fail = (why: string): void => {
    problem ??= `its sandbox says "network: allow", and this host can give it no network (${why})`
    abandon()
    sandbox.kill('SIGKILL')
  }
  const begin = (): void => {
    if (over) return
    waiting = null
    block.end('go')
  }
  block.on('error', () => undefined)
  void first.then(async (pid) => {
    if (pid === null) return
    if (over) return kill(pid)
    waiting = pid
    await untilLoopback(pid)
    if (over) return
    const onReady = (): void => {
      leaveOnlyPublic(pid).then(begin, (error: Error) => fail(error.message))
    }
    slirp = start(pid, onReady, fail)
  })
  return {
    get problem() {
      return problem
    },
    close: abandon,
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * bubblewrap gives the new network its loopback and fails when it has one already, as it has once
 * slirp4netns has come in: one after the other. Where that cannot be seen, slirp4netns comes in
 * after a moment.
 */
async function untilLoopback(pid: number): Promise<void> {
  const deadline = performance.now() + loopbackWithinMs
  while (performance.now() < deadline) {
    const routes = await readFile(`/proc/${pid}/net/fib_trie`, 'utf8').catch(() => null)
    if (routes?.includes('127.0.0.1') === true) return
    await delay(5)
  }
}

function start(pid: number, onReady: () => void, onFail: (why: string) => void): ChildProcess {
  const slirp = spawn(
    'slirp4netns',
    [
      '--configure',
      '--disable-host-loopback',
      '--mtu=65520',
      '--ready-fd=3',
      // Held by this process: when it ends, slirp4netns does.
      '--exit-fd=4',
      String(pid),
      'tap0',
    ],
    { env: commandEnvironment, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  )
  for (const pipe of slirp.stdio) pipe?.on('error', () => undefined)
  let ready = false
  slirp.stdio[3]?.on('data', () => {
    ready = true
    onReady()
  })
  slirp.once('error', (error: NodeJS.ErrnoException) =>
    onFail(error.code === 'ENOENT' ? 'slirp4netns is not installed' : error.message),
  )
  slirp.once('close', (code) => {
    if (!ready) onFail(`slirp4netns ended with ${code ?? 'a signal'}`)
  })
  return slirp
}
