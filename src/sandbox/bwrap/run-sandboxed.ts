import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { bwrapArguments } from './bwrap-arguments.ts'
import { commandEnvironment } from './command-environment.ts'
import type { CommandLimits } from './command-limits.ts'
import { keepOutput, type KeptOutput } from './kept-output.ts'
import { childrenOf, lookAtTree } from './process-tree.ts'
import { giveNetwork, networkDescriptors, resolverFile } from './own-network.ts'
import { countProcesses } from './process-count.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import { readyDescriptor, sandboxedArgv } from './sandboxed-argv.ts'
import type { SystemFolder } from './system-folders.ts'

/** How a command ended. A command that a limit ended has the limit as `exceeded`, a sentence. */
export interface CommandEnd {
  /** as a shell says it: 128 and the number for one that a signal ended */
  readonly exitCode: number
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput
  readonly timedOut: boolean
  readonly exceeded: string | null
}

/** bubblewrap could not make the sandbox; the command did not begin. The message is a sentence. */
export class SandboxFailed extends Error {
  override readonly name = 'SandboxFailed'
}

/** The command was ended because the signal said so. */
export class CommandStopped extends Error {
  override readonly name = 'CommandStopped'
}

const watchEveryMs = 100
/** How long a command may take to end by itself once it was asked to. */
const graceMs = 500
/** The kernel ends what is in a sandbox at once, but for a process in the middle of a write. */
const goneWithinMs = 10_000
const argumentsDescriptor = 3
const informationDescriptor = 7
const killed = 137

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
  const count = child.pid === undefined ? null : countProcesses(child.pid, limits.processes + 2)
  const host = { folders: run.folders, tmpBytes: limits.writtenBytes }
  const words = bwrapArguments(plan, host, {
    passwd: 4,
    group: 5,
    information: informationDescriptor,
    network: run.network ? networkDescriptors : null,
  })
  give(child, argumentsDescriptor, words.map((word) => `${word}\0`).join(''))
  give(child, 4, `user:x:${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}::/tmp:/bin/sh\n`)
  give(child, 5, `user:x:${process.getgid?.() ?? 0}:\n`)
  if (run.network) give(child, networkDescriptors.resolver, resolverFile)
  const first = firstInside(pipeOf(child, informationDescriptor) as Readable)
  const network = run.network ? giveNetwork(child, first) : null
  const ready = saysReady(pipeOf(child, readyDescriptor) as Readable)

  let exceeded: string | null = null
  let [timedOut, stopped] = [false, false]
  const end = (why: () => void): void => {
    if (exceeded !== null || timedOut || stopped) return
    why()
    child.kill('SIGKILL')
  }
  const flood = (name: string) => () =>
    end(() => {
      exceeded = `It wrote more than ${limits.outputBytes} bytes to ${name} and was ended.`
    })
  const stdout = keepOutput(child.stdout as Readable, limits.outputBytes, flood('standard output'))
  const stderr = keepOutput(child.stderr as Readable, limits.outputBytes, flood('standard error'))
  const look = (): void => {
    if (child.pid === undefined) return
    const use = lookAtTree(child.pid, limits.processes + 2)
    const over = excess(use, limits)
    if (over !== null) {
      end(() => {
        exceeded = over
      })
    }
  }
  const watch = setInterval(look, watchEveryMs)
  const askToEnd = async (why: () => void): Promise<void> => {
    why()
    // The sandbox's own first process would end everything at once: the command itself is asked.
    for (const outer of child.pid === undefined ? [] : childrenOf(child.pid)) {
      for (const pid of childrenOf(outer)) terminate(pid)
    }
    await Promise.race([closed, delay(graceMs)])
    child.kill('SIGKILL')
  }
  const onTime = setTimeout(() => {
    if (!stopped) void askToEnd(() => (timedOut = true))
  }, run.timeoutMs)
  const onStop = (): void => void askToEnd(() => (stopped = true))
  run.signal.addEventListener('abort', onStop, { once: true })
  try {
    const code = await closed
    const begun = await ready
    await untilGone(await first)
    if (stopped) throw new CommandStopped('The command was ended before it was done.')
    if (!begun && network?.problem != null) throw new SandboxFailed(network.problem)
    if (!begun) throw new SandboxFailed(failure(code, stderr().bytes))
    return { exitCode: code ?? killed, stdout: stdout(), stderr: stderr(), timedOut, exceeded }
  } finally {
    clearInterval(watch)
    clearTimeout(onTime)
    run.signal.removeEventListener('abort', onStop)
    child.kill('SIGKILL')
    network?.close()
    count?.end()
  }
}

/** bubblewrap itself and its first process inside count as none of the command's. */
function excess(
  use: { pids: readonly number[]; memoryBytes: number; writtenBytes: number },
  limits: CommandLimits,
): string | null {
  if (use.pids.length - 1 > limits.processes) {
    return `It had more than ${limits.processes} processes and was ended.`
  }
  if (use.memoryBytes > limits.memoryBytes) {
    return `It used more than ${limits.memoryBytes} bytes of memory and was ended.`
  }
  if (use.writtenBytes > limits.writtenBytes) {
    return `It wrote more than ${limits.writtenBytes} bytes to disk and was ended.`
  }
  return null
}

function failure(code: number | null, said: Buffer): string {
  const words = said.toString('utf8').trim().split('\n')[0] ?? ''
  return code === 125
    ? 'A folder of its zones was swapped for another one, and the command did not begin.'
    : `The sandbox could not be made, and the command did not begin: ${words || `code ${code}`}.`
}

/** Resolves with the exit code once the process has ended and its streams are closed; `null` when it was killed. */
function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new SandboxFailed(error.message)))
    child.once('close', (code) => resolve(code))
  })
}

/** The first process inside, as bubblewrap tells; `null` when it ends before it tells. */
function firstInside(stream: Readable): Promise<number | null> {
  let told = ''
  return new Promise((resolve) => {
    stream.on('data', (bytes: Buffer) => {
      told += bytes.toString('latin1')
      const pid = /"child-pid": (\d+)\D/.exec(told)?.[1]
      if (pid !== undefined) resolve(Number(pid))
    })
    stream.on('error', () => resolve(null))
    stream.on('close', () => resolve(null))
  })
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

function give(child: ChildProcess, descriptor: number, text: string): void {
  const pipe = pipeOf(child, descriptor) as Writable
  // One that ended before it read everything says so by its exit code.
  pipe.on('error', () => undefined)
  pipe.end(text)
}

function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended meanwhile.
  }
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
