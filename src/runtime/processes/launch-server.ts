import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { endProcess } from './end-process.ts'
import { identifyProcess } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

/**
 * The launcher of an external server. It starts the server, prints its pid, and holds one end of
 * the lifeline. When the other end closes (on request, or when this process ends), it signals the
 * server, and kills it after the grace time.
 */
const launcherScript = `
signal=$1; grace=$2; shift 2
"$@" 3<&- 4>&- &
server=$!
echo "$server" >&4
exec 4>&-
(
  read -r _ <&3
  kill -s "$signal" "$server"
  while [ "$grace" -gt 0 ] && kill -0 "$server" 2>/dev/null; do sleep 1; grace=$((grace - 1)); done
  kill -KILL "$server"
) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"
code=$?
kill -KILL "$watcher" 2>/dev/null
exit "$code"
`

export interface LaunchOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
  readonly cwd: string
  /** Standard output and error are appended to this file. */
  readonly logFile: string
  /** The signal that asks the server to end. */
  readonly stopSignal: 'INT' | 'TERM'
  /** Seconds between that signal and the kill. */
  readonly graceSeconds: number
  /** The user it runs as; only root can name another. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

export interface LaunchedServer {
  /** The server itself, not its launcher. */
  readonly identity: ProcessIdentity
  /** The exit code of the server; 128 + n for signal n. */
  readonly exited: Promise<number>
  /** Asks it to end and waits until it has ended. It may be called twice. */
  stop(): Promise<void>
}

/**
 * Starts a server in a process group of its own with a lifeline to this process: one launcher shell
 * and one server. Rejects when the program cannot be started.
 */
export async function launchServer(options: LaunchOptions): Promise<LaunchedServer> {
  const log = openSync(options.logFile, 'a', 0o600)
  const launcher = spawn(
    '/bin/sh',
    [
      '-c',
      launcherScript,
      'countersign',
      options.stopSignal,
      String(options.graceSeconds),
      options.command,
      ...options.args,
    ],
    {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', log, log, 'pipe', 'pipe'],
      ...(options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid }),
    },
  )
  closeSync(log)
  const launcherExit = new Promise<number>((resolve, reject) => {
    launcher.once('error', reject)
    launcher.once('exit', (code) => resolve(code ?? 137))
  })
  launcherExit.catch(() => undefined)
  const lifeline = launcher.stdio[3]
  lifeline?.on('error', () => undefined)
  const pid = await Promise.race([
    readPid(launcher.stdio[4] as Readable),
    launcherExit.then(() => null),
  ])
  const identity = pid === null ? null : identifyProcess(pid)
  if (identity === null) {
    lifeline?.destroy()
    return {
      identity: { pid: pid ?? 0, startedAt: '' },
      exited: launcherExit,
      stop: async () => {},
    }
  }
  // A killed launcher leaves a server that nobody watches, so the server is ended too.
  const exited = launcherExit.then(async (code) => {
    await endProcess(identity, { signal: 'SIGKILL', graceMs: 0 })
    return code
  })
  return {
    identity,
    exited,
    stop: async () => {
      lifeline?.destroy()
      await exited
    },
  }
}

async function readPid(pipe: Readable): Promise<number | null> {
  let text = ''
  for await (const chunk of pipe) text += String(chunk)
  const pid = Number.parseInt(text, 10)
  return Number.isSafeInteger(pid) ? pid : null
}
