import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  CommandStopped,
  ended,
  SandboxFailed,
  terminate,
  type CommandEnd,
} from '../process/command-end.ts'
import { bytesOfName } from '../raw-names.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import { commandEnvironment } from './command-environment.ts'
import type { CommandLimits } from './command-limits.ts'
import { boundByKernel, type ControlGroup } from '../process/control-group.ts'
import { childrenOf, lookAtTree } from '../process/process-tree.ts'
import { firstInside, informationDescriptor } from './first-inside.ts'
import { giveNetwork, networkDescriptors, resolverFile } from './own-network.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import { readyDescriptor, sandboxedArgv } from './sandboxed-argv.ts'
import type { SystemFolder } from './system-folders.ts'
import { watchCommand, type CommandUse, type OutputListener } from '../process/watch-command.ts'

/** The kernel ends what is in a sandbox at once, but for a process in the middle of a write. */
const goneWithinMs = 10_000
const argumentsDescriptor = 3

export interface SandboxedRun {
  readonly bwrap: string
  readonly folders: readonly SystemFolder[]
  readonly plan: SandboxPlan
  readonly argv: readonly string[]
  readonly timeoutMs: number
  readonly limits: CommandLimits
  /** a network of its own, or none */
  readonly network: boolean
  readonly signal: AbortSignal
  readonly onOutput?: OutputListener
}

/**
 * Runs one command in a sandbox of its own and waits until nothing of it is left (security.md 7, 9). Rejects with
 * `SandboxFailed` when it did not begin, and with `CommandStopped` when `signal` ended it. All its processes end when
 * this process ends, however it ends.
 */
export async function runSandboxed(run: SandboxedRun): Promise<CommandEnd> {
  if (run.signal.aborted) throw new CommandStopped('The command was not begun.')
  const { limits, plan } = run
  const isRoot = process.getuid?.() === 0
  const child = spawn(
    run.bwrap,
    [
      '--args',
      String(argumentsDescriptor),
      '--',
      ...sandboxedArgv(run.argv, plan.zones, limits, { isRoot }),
    ],
    {
      env: commandEnvironment,
      stdio: ['ignore', ...Array.from({ length: run.network ? 9 : 7 }, () => 'pipe' as const)],
      detached: true,
    },
  )
  const closed = ended(child)
  // It reads its arguments first: until they are given, nothing has begun.
  const group =
    child.pid === undefined
      ? null
      : boundByKernel(child.pid, {
          processes: limits.processes + 2,
          memoryBytes: limits.memoryBytes,
        })
  const host = { folders: run.folders, tmpBytes: limits.writtenBytes }
  const words = bwrapArguments(plan, host, {
    passwd: 4,
    group: 5,
    information: informationDescriptor,
    network: run.network ? networkDescriptors : null,
  })
  give(child, argumentsDescriptor, bytesOfName(words.map((word) => `${word}\0`).join('')))
  give(child, 4, `user:x:${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}::/tmp:/bin/sh\n`)
  give(child, 5, `user:x:${process.getgid?.() ?? 0}:\n`)
  if (run.network) give(child, networkDescriptors.resolver, resolverFile)
  const first = firstInside(pipeOf(child, informationDescriptor) as Readable)
  const network = run.network ? giveNetwork(child, first) : null
  const ready = saysReady(pipeOf(child, readyDescriptor) as Readable)

  try {
    const end = await watchCommand(
      {
        stdout: child.stdout as Readable,
        stderr: child.stderr as Readable,
        closed,
        use: () => useOf(child, group, limits),
        askToEnd: () => askInside(child),
        end: () => child.kill('SIGKILL'),
      },
      run,
    )
    const begun = await ready
    await untilGone(await first)
    if (end.stopped) throw new CommandStopped('The command was ended before it was done.')
    if (!begun && network?.problem != null)
      throw new SandboxFailed(`The command was not begun: ${network.problem}.`)
    if (!begun) throw new SandboxFailed(failure(end.code, end.stderr.bytes))
    const { exceeded, stderr, stdout, timedOut } = end
    return { exitCode: end.code, stdout, stderr, timedOut, exceeded }
  } finally {
    network?.close()
    group?.end()
  }
}

/** bubblewrap's first process inside counts as none of the command's. */
function useOf(
  { pid = 0 }: ChildProcess,
  group: ControlGroup | null,
  limits: CommandLimits,
): CommandUse {
  const { memoryBytes, pids, writtenBytes } = lookAtTree(pid, limits.processes + 2)
  const outOfMemory = group?.outOfMemory() ?? false
  return { processes: pids.length - 1, memoryBytes, writtenBytes, outOfMemory }
}

/** The sandbox's own first process would end everything at once: the command itself is asked. */
function askInside({ pid }: ChildProcess): void {
  for (const outer of pid === undefined ? [] : childrenOf(pid)) {
    for (const inner of childrenOf(outer)) terminate(inner)
  }
}

function failure(code: number, said: Buffer): string {
  const words = said.toString('utf8').trim().split('\n')[0] ?? ''
  return code === 125
    ? 'A folder of its zones was swapped for another one, and the command did not begin.'
    : `The sandbox could not be made, and the command did not begin: ${words || `code ${code}`}.`
}

function saysReady(stream: Readable): Promise<boolean> {
  let said = ''
  return new Promise((resolve) => {
    stream.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')))
    stream.on('error', () => resolve(said !== ''))
    stream.on('close', () => resolve(said !== ''))
  })
}

/** A pipe that `spawn` was asked for: there always, and never closed before the process is. */
function pipeOf(child: ChildProcess, descriptor: number): unknown {
  return (child.stdio as readonly unknown[])[descriptor]
}

function give(child: ChildProcess, descriptor: number, text: string | Buffer): void {
  const pipe = pipeOf(child, descriptor) as Writable
  // One that ended before it read everything says so by its exit code.
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

/** One that has ended and that nobody has asked about yet is gone. */
function isThere(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}
