import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { commandEnvironment } from '../bwrap/command-environment.ts'
import type { CommandLimits } from '../process/command-limits.ts'
import { CommandStopped, endOf, SandboxFailed, type CommandEnd } from '../process/command-end.ts'
import { boundByKernel, type ControlGroup } from '../process/control-group.ts'
import { hasPipes, tooManyFiles } from '../process/has-pipes.ts'
import { processesOf } from '../process/processes-of.ts'
import { lookAtTree } from '../process/process-tree.ts'
import { watchCommand, type OutputListener } from '../process/watch-command.ts'

/** In the environment of unconfined commands, to find processes that left their group. */
export const markName = 'COUNTERSIGN_COMMAND'

const goDescriptor = 3
const readyDescriptor = 4
const goneWithinMs = 10_000

/**
 * Waits until it is bounded, sets the limits that this system supports (in blocks of 512 bytes, as
 * in POSIX, and in KiB), reports that the command begins, and closes every descriptor of the
 * service.
 */
const begin = `set -o posix
read -r go <&${goDescriptor} || exit 125
ulimit -c 0
ulimit -f "$1" 2>/dev/null
ulimit -d "$2" 2>/dev/null
shift 2
echo ready >&${readyDescriptor} || exit 125
for at in /dev/fd/*; do
  [ "\${at##*/}" -le 2 ] 2>/dev/null || eval "exec \${at##*/}>&-" 2>/dev/null
done
exec env -u PWD -u OLDPWD -u SHLVL -u _ "$@"`

export interface UnconfinedRun {
  readonly argv: readonly string[]
  /** absolute */
  readonly cwd: string
  /** a secret in its environment, by which its processes are found */
  readonly mark: string
  /** variables besides those of every command */
  readonly environment?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly limits: CommandLimits
  readonly signal: AbortSignal
  readonly onOutput?: OutputListener
}

/**
 * Runs one command without a sandbox, which only an explicit approval by a person permits
 * (workers-and-policy.md). The command has a built environment, its own home and temporary folder,
 * and closed standard input. It runs within the limits, in its own session, which is ended as a
 * whole. It may do everything that the service's own user may. Rejects as `runSandboxed`.
 */
export async function runUnconfined(run: UnconfinedRun): Promise<CommandEnd> {
  if (run.signal.aborted) throw new CommandStopped('The command was not begun.')
  const home = await mkdtemp(path.join(await realpath(tmpdir()), 'countersign-command-'))
  try {
    return await runAt(run, home)
  } finally {
    await rm(home, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function runAt(run: UnconfinedRun, home: string): Promise<CommandEnd> {
  const { limits, mark } = run
  const child = spawn(
    '/bin/bash',
    [
      '--norc',
      '--noprofile',
      '-p',
      '-c',
      begin,
      'bash',
      String(Math.ceil(limits.writtenBytes / 512)),
      String(Math.ceil(limits.memoryBytes / 1024)),
      ...run.argv,
    ],
    {
      cwd: run.cwd,
      env: {
        ...commandEnvironment,
        ...run.environment,
        HOME: home,
        TMPDIR: home,
        [markName]: mark,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    },
  )
  if (!hasPipes(child)) throw new SandboxFailed(`The command was not begun: ${tooManyFiles}.`)
  const closed = endOf(child)
  closed.catch(() => undefined)
  const first = child.pid ?? 0
  const group = first === 0 ? null : boundByKernel(first, limits)
  const variable = `${markName}=${mark}`
  const endAll = (): void => endOnce(first, variable, group)
  const lifeline = first === 0 ? null : endWithUs(first)
  // Processes that it left running keep its streams open.
  child.once('exit', endAll)
  const go = child.stdio[goDescriptor] as Writable
  go.on('error', () => undefined)
  go.end('go\n')
  let hasStarted = false
  const ready = (child.stdio as readonly unknown[])[readyDescriptor] as Readable
  ready.on('data', () => (hasStarted = true)).on('error', () => undefined)
  try {
    const end = await watchCommand(
      {
        stdout: child.stdout as Readable,
        stderr: child.stderr as Readable,
        closed,
        use() {
          const { memoryBytes, pids, writtenBytes } = lookAtTree(first, limits.processes + 1)
          const outOfMemory = group?.outOfMemory() ?? false
          return {
            processes: pids.length + 1,
            memoryBytes,
            writtenBytes,
            files: 0,
            problem: null,
            outOfMemory,
          }
        },
        askToEnd: () => signalGroup(first, 'SIGTERM'),
        end: endAll,
      },
      run,
    )
    await untilGone(first, variable, group)
    if (end.isStopped) throw new CommandStopped('The command was ended before it was done.')
    if (!hasStarted) throw new SandboxFailed('The command could not be bounded, and did not begin.')
    const { code, exceeded, stderr, stdout, timedOut } = end
    return { exitCode: code, stdout, stderr, timedOut, exceeded }
  } finally {
    lifeline?.kill('SIGKILL')
    group?.end()
  }
}

/** Ends the command's process group when this process ends: the closed pipe shows it. */
function endWithUs(first: number): ChildProcess {
  const script = 'read -r never; kill -KILL -"$1"'
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', String(first)], {
    env: commandEnvironment,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.on('error', () => undefined)
  watcher.stdin?.on('error', () => undefined)
  return watcher
}

/** Ends a command's present processes; the next call finds those that start meanwhile. */
function endOnce(first: number, variable: string, group: ControlGroup | null): void {
  if (first > 0) signalGroup(first, 'SIGKILL')
  for (const pid of processesOf({ first, variable, others: group?.pids() ?? [] })) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

/** Nothing of the command can change a file once none of its processes is left. */
async function untilGone(
  first: number,
  variable: string,
  group: ControlGroup | null,
): Promise<void> {
  const deadline = performance.now() + goneWithinMs
  while (performance.now() < deadline) {
    if (processesOf({ first, variable, others: group?.pids() ?? [] }).length === 0) return
    endOnce(first, variable, group)
    await delay(5)
  }
}

function signalGroup(first: number, signal: NodeJS.Signals): void {
  if (first <= 0) return
  try {
    process.kill(-first, signal)
  } catch {
    // Every process of the group has ended already.
  }
}
