import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  CommandStopped,
  endOf,
  SandboxFailed,
  terminate,
  type CommandEnd,
} from '../process/command-end.ts'
import { beginSandbox, pipeOf, type NewSandbox } from './begin-sandbox.ts'
import { boundedFolders } from './bwrap-arguments.ts'
import { sharedOfHost } from '../process/shared-memory.ts'
import { childProcesses } from '../process/process-tree.ts'
import { watchWritten } from '../process/disk-usage-watch.ts'
import { firstInside, informationDescriptor } from './first-inside.ts'
import { giveNetwork } from './own-network.ts'
import { useOf } from './sandbox-use.ts'
import { readyDescriptor } from './sandboxed-argv.ts'
import { watchCommand, type OutputListener } from '../process/watch-command.ts'

/** The kernel ends everything in a sandbox at once, except a process in the middle of a write. */
const goneWithinMs = 10_000
/** The exit code of sandboxed-argv.ts when a mount is not the one that was examined. */
const swappedCode = 125

export interface SandboxedRun extends NewSandbox {
  readonly timeoutMs: number
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
  const { child, group, access } = beginSandbox(run)
  const closed = endOf(child)
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
    if (end.isStopped) throw new CommandStopped('The command was ended before it was done.')
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

/** Signals the command, since the end of the sandbox's first process ends everything. */
function askInside({ pid }: ChildProcess): void {
  for (const outer of pid === undefined ? [] : childProcesses(pid)) {
    for (const inner of childProcesses(outer)) terminate(inner)
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
