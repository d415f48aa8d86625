import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { NetworkAccess } from '#domain/network/network-access.ts'
import {
  CommandStopped,
  endOf,
  SandboxFailed,
  terminate,
  type CommandEnd,
} from '../process/command-end.ts'
import { boundedFolders, bwrapArguments, bytesOfWords } from './bwrap-arguments.ts'
import { commandEnvironment } from './command-environment.ts'
import type { CommandLimits } from '../process/command-limits.ts'
import { ownArchitecture, systemCallFilter, unknownArchitecture } from '../seccomp/filter.ts'
import { boundByKernel, type ControlGroup } from '../process/control-group.ts'
import { mappedBy, sharedBy, sharedOfHost } from '../process/shared-memory.ts'
import { childrenOf, lookAtTree, type TreeUse } from '../process/process-tree.ts'
import { watchWritten, type WrittenAmounts } from '../process/disk-usage-watch.ts'
import { firstInside, informationDescriptor } from './first-inside.ts'
import { proxyEnvironment } from './domain-network.ts'
import { giveNetwork, networkDescriptors, resolverOf } from './own-network.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import { coversToCheck, readyDescriptor, sandboxedArgv } from './sandboxed-argv.ts'
import type { SystemFolder } from './system-folders.ts'
import { watchCommand, type CommandUse, type OutputListener } from '../process/watch-command.ts'

/** The kernel ends everything in a sandbox at once, except a process in the middle of a write. */
const goneWithinMs = 10_000
const argumentsDescriptor = 3
/** The exit code of sandboxed-argv.ts when a mount is not the one that was examined. */
const swappedCode = 125
const filterDescriptor = 8

export interface SandboxedRun {
  readonly bwrap: string
  /**
   * a program that starts bubblewrap, with its first arguments; none, where nothing has to be done
   * first
   */
  readonly launch: readonly string[]
  readonly folders: readonly SystemFolder[]
  readonly plan: SandboxPlan
  readonly argv: readonly string[]
  /** variables besides those of every command */
  readonly environment?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly limits: CommandLimits
  /** a network of its own, listed domains, or none */
  readonly network: NetworkAccess
  readonly signal: AbortSignal
  readonly onOutput?: OutputListener
}

/**
 * Runs one command in a sandbox of its own and waits until nothing of it is left (security.md 7,
 * 9). Rejects with `SandboxFailed` when it did not begin, and with `CommandStopped` when `signal`
 * ended it. All its processes end with this process.
 */
export async function runSandboxed(run: SandboxedRun): Promise<CommandEnd> {
  if (run.signal.aborted) throw new CommandStopped('The command was not begun.')
  const { limits, plan } = run
  const access = run.network === 'none' ? null : run.network
  const architecture = ownArchitecture()
  if (architecture === null) throw new SandboxFailed(unknownArchitecture)
  const isRoot = process.getuid?.() === 0
  const [program, ...before] = [...run.launch, run.bwrap]
  const inside = sandboxedArgv(run.argv, mountsToCheck(plan), limits, { isRoot })
  const host = { folders: run.folders, tmpBytes: limits.writtenBytes }
  const words = bwrapArguments(plan, host, {
    passwd: 4,
    group: 5,
    filter: filterDescriptor,
    information: informationDescriptor,
    network: access === null ? null : networkDescriptors,
  })
  const wordsBytes = bytesOfWords(words, inside.length)
  const child = spawn(
    program,
    [...before, '--args', String(argumentsDescriptor), '--', ...inside],
    {
      env: {
        ...commandEnvironment,
        ...(Array.isArray(access) ? proxyEnvironment : {}),
        ...run.environment,
      },
      stdio: ['ignore', ...Array.from({ length: access === null ? 8 : 10 }, () => 'pipe' as const)],
      detached: true,
    },
  )
  const closed = endOf(child)
  // bubblewrap reads its arguments first, so nothing begins before they are sent.
  const group =
    child.pid === undefined
      ? null
      : boundByKernel(child.pid, {
          processes: limits.processes + 2,
          memoryBytes: limits.memoryBytes,
        })
  give(child, argumentsDescriptor, wordsBytes)
  give(child, 4, `user:x:${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}::/tmp:/bin/sh\n`)
  give(child, 5, `user:x:${process.getgid?.() ?? 0}:\n`)
  const countsMemory = group?.bounds.memory ?? false
  give(child, filterDescriptor, systemCallFilter(architecture, { countsMemory }))
  if (access !== null) give(child, networkDescriptors.resolver, resolverOf(access))
  const first = firstInside(pipeOf(child, informationDescriptor) as Readable)
  const network = access === null ? null : giveNetwork(child, first, access)
  const zones = plan.zones.filter(({ mode }) => mode === 'rw').map(({ path }) => path)
  const folders = boundedFolders.map(([path, bytes]) => ({
    path,
    bytes: Math.min(bytes, limits.writtenBytes),
  }))
  const ready = saysReady(pipeOf(child, readyDescriptor) as Readable)
  // Until the sandbox is ready its first process still sees the host's folders.
  const sandboxed = ready.then((stands) => (stands ? first : null))
  const written = watchWritten(zones, folders, limits, sandboxed)
  const sharedBefore = sharedOfHost()

  try {
    const end = await watchCommand(
      {
        stdout: child.stdout as Readable,
        stderr: child.stderr as Readable,
        closed,
        use: () => useOf(child, group, limits, { ...written.now(), sharedBefore }),
        askToEnd: () => askInside(child),
        end() {
          child.kill('SIGKILL')
          network?.close()
        },
      },
      run,
    )
    const hasStarted = await ready
    await untilGone(await first)
    if (end.stopped) throw new CommandStopped('The command was ended before it was done.')
    if (!hasStarted && network?.problem != null)
      throw new SandboxFailed(`The command was not begun: ${network.problem}.`)
    if (!hasStarted) throw failure(end.code, end.stderr.bytes)
    const { exceeded, stderr, stdout, timedOut } = end
    const refusals = network?.refusals() ?? []
    return { exitCode: end.code, stdout, stderr, timedOut, exceeded, refused: refusals }
  } finally {
    written.close()
    network?.close()
    group?.end()
  }
}

/** The mounts that must be those that were examined outside. */
function mountsToCheck(plan: SandboxPlan) {
  const { copies, cwd, cwdIdentity, zones } = plan
  const folder = cwdIdentity === null ? [] : [{ path: cwd, identity: cwdIdentity }]
  return [...zones, ...copies, ...folder, ...coversToCheck(plan)]
}

/** bubblewrap's first process inside does not count as the command's. */
function useOf(
  { pid = 0 }: ChildProcess,
  group: ControlGroup | null,
  limits: CommandLimits,
  written: WrittenAmounts & { readonly sharedBefore: number },
): CommandUse {
  const tree = lookAtTree(pid, limits.processes + 2)
  const isCharged = group?.bounds.memory ?? false
  const { memoryBytes, pids } = tree
  return {
    processes: pids.length - 1,
    memoryBytes: isCharged ? memoryBytes : memoryBytes + sharedUse(tree, limits, written),
    writtenBytes: Math.max(tree.writtenBytes, written.zoneBytes),
    files: written.zoneFiles + written.tmpFiles,
    problem: isCharged ? null : written.problem,
    outOfMemory: group?.outOfMemory() ?? false,
  }
}

/**
 * The shared memory of processes and the files in memory, which may overlap, where no control group
 * counts them. Slow measurements are made only when a fast one shows that it may be too much.
 */
function sharedUse(
  { memoryBytes, pids, sharedBytes }: TreeUse,
  limits: CommandLimits,
  { sharedBefore, tmpBytes }: WrittenAmounts & { readonly sharedBefore: number },
): number {
  const room = limits.memoryBytes - memoryBytes
  // Memory that no process maps any more is not counted for a process, but is still allocated.
  if (sharedOfHost() - sharedBefore > room) return Math.max(mappedBy(pids), tmpBytes)
  if (sharedBytes <= tmpBytes || sharedBytes <= room) return Math.max(sharedBytes, tmpBytes)
  return Math.max(sharedBy(pids), tmpBytes)
}

/**
 * Signals the command itself: the end of the sandbox's first process would end everything at once.
 */
function askInside({ pid }: ChildProcess): void {
  for (const outer of pid === undefined ? [] : childrenOf(pid)) {
    for (const inner of childrenOf(outer)) terminate(inner)
  }
}

/**
 * bubblewrap's message when it cannot mount a copy (sandbox/snapshots) in its file's place: the
 * copy exists, so the file was replaced at that moment. For other mounts it only says that the
 * mount is not where it expects it.
 */
const saysReplaced =
  /^bwrap: Can't bind mount \S.*\/snapshots\/[0-9a-f]{32}\/\d+ on |in mount table\.?$/

/** Why a command did not begin. */
function failure(code: number, output: Buffer): SandboxFailed {
  const words = output.toString('utf8').trim().split('\n')[0] ?? ''
  if (code === swappedCode || saysReplaced.test(words)) {
    const what = 'A folder of its zones, or a file that it names, was swapped for another one'
    return new SandboxFailed(`${what}, and the command did not begin.`, true)
  }
  const why = words || `code ${code}`
  return new SandboxFailed(
    `The sandbox could not be created, and the command did not start: ${why}.`,
  )
}

function saysReady(stream: Readable): Promise<boolean> {
  let output = ''
  return new Promise((resolve) => {
    stream.on('data', (bytes: Buffer) => (output += bytes.toString('latin1')))
    stream.on('error', () => resolve(output !== ''))
    stream.on('close', () => resolve(output !== ''))
  })
}

/** A pipe that `spawn` opened: it always exists, and closes with the process. */
function pipeOf(child: ChildProcess, descriptor: number): unknown {
  return (child.stdio as readonly unknown[])[descriptor]
}

function give(child: ChildProcess, descriptor: number, text: string | Buffer): void {
  const pipe = pipeOf(child, descriptor) as Writable
  // A process that ended before it read everything reports that by its exit code.
  pipe.on('error', () => undefined)
  pipe.end(text)
}

/** The sandbox's first process ends after all others in it: nothing can change a file any more. */
async function untilGone(first: number | null): Promise<void> {
  if (first === null) return
  const deadline = performance.now() + goneWithinMs
  while (performance.now() < deadline) {
    if (!isThere(first)) return
    await delay(5)
  }
}

/** A process that has ended counts as gone, even when its parent has not waited for it yet. */
function isThere(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}
