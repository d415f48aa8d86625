import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { NetworkAccess } from '#domain/network/network-access.ts'
import { hasPipes } from '../process/has-pipes.ts'
import { commandEnvironment } from './command-environment.ts'
import { leadToDomains, noResolver } from './domain-network.ts'
import type { NetworkWay } from './network-way.ts'
import { leaveOnlyPublic } from './reachable-network.ts'

/** A networked sandbox's descriptors: the resolver file, and the one bubblewrap waits for. */
export const networkDescriptors = { resolver: 9, block: 10 } as const

/** The address at which slirp4netns resolves names. */
const resolverFile = 'nameserver 10.0.2.3\n'

const loopbackWithinMs = 3000

/** A network of a sandbox's own. */
export interface OwnNetwork {
  /** why there is none, once it is known: the rest of a sentence */
  readonly problem: string | null
  /** refused connections, as sentences */
  refusals(): readonly string[]
  close(): void
}

/** The resolver file of a sandbox. */
export function resolverOf(network: Exclude<NetworkAccess, 'none'>): string {
  return network === 'allow' ? resolverFile : noResolver
}

/**
 * Gives a new sandbox the network of its worker file, and lets its command begin: public addresses
 * through slirp4netns (security.md 7, 30), or listed domains through a proxy. `first` is its first
 * process. Without a network the sandbox is ended. It ends with the sandbox, and with this process.
 */
export function giveNetwork(
  sandbox: ChildProcess,
  first: Promise<number | null>,
  network: Exclude<NetworkAccess, 'none'>,
): OwnNetwork {
  const block = (sandbox.stdio as readonly unknown[])[networkDescriptors.block] as Writable
  let problem: string | null = null
  let way: NetworkWay | null = null
  let over = false
  /** The first process inside, until the command begins: it does not end with bubblewrap yet. */
  let firstPid: number | null = null
  const abandon = (): void => {
    over = true
    way?.close()
    if (firstPid !== null) kill(firstPid)
    firstPid = null
  }
  const fail = (error: Error): void => {
    if (over) return
    const says = network === 'allow' ? '"network: allow"' : '"network" with a list of domains'
    problem ??= `its sandbox says ${says}, and this host can give it no network (${error.message})`
    abandon()
    sandbox.kill('SIGKILL')
  }
  const begin = (): void => {
    if (over) return
    firstPid = null
    block.end('go')
  }
  block.on('error', () => undefined)
  void first.then(async (pid) => {
    if (pid === null) return
    if (over) return kill(pid)
    firstPid = pid
    await untilLoopback(pid)
    if (over) return
    way = network === 'allow' ? leadOut(pid) : leadToDomains(pid, network)
    way.ready.then(begin, fail)
  })
  return {
    get problem() {
      return problem
    },
    refusals: () => way?.refusals() ?? [],
    close: abandon,
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/**
 * bubblewrap sets up the loopback of the new network and fails when there is one already, as after
 * slirp4netns has started: one after the other. Where that cannot be observed, slirp4netns starts
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

function leadOut(pid: number): NetworkWay {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  const slirp = spawn(
    'slirp4netns',
    [
      '--configure',
      '--disable-host-loopback',
      '--mtu=65520',
      '--ready-fd=3',
      // Held by this process: slirp4netns ends with it.
      '--exit-fd=4',
      String(pid),
      'tap0',
    ],
    { env: commandEnvironment, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  )
  if (hasPipes(slirp)) {
    for (const pipe of slirp.stdio) pipe?.on('error', () => undefined)
    slirp.stdio[3]?.once('data', () => {
      leaveOnlyPublic(pid).then(resolve, reject)
    })
  }
  slirp.once('error', (error: NodeJS.ErrnoException) =>
    reject(new Error(error.code === 'ENOENT' ? 'slirp4netns is not installed' : error.message)),
  )
  slirp.once('close', (code) => reject(new Error(`slirp4netns ended with ${code ?? 'a signal'}`)))
  return { ready: promise, refusals: () => [], close: () => void slirp.kill('SIGKILL') }
}
