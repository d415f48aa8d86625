import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { TestSession } from '../harness/installation/test-session.ts'

/** What the four processes may take to end in order, with a wide margin. */
const stopWithinMs = 150_000

const command = fileURLToPath(new URL('../../bin/countersign', import.meta.url))

export type StartedInstallation = {
  child: ChildProcess
  /** Every line it has printed so far. */
  lines: string[]
  /** `http://127.0.0.1:N` of the ready line. */
  url: string
  /** The process that `DATA/run/<name>.pid` names. */
  pidOf(name: string): Promise<number>
  signIn(email: string): Promise<TestSession>
  /**
   * Ctrl-C, and wait for the end; answers the exit code, `null` when it did not end and was killed.
   */
  stop(): Promise<number | null>
}

/** `countersign start` in that folder, as a person would call it, until its ready line. */
export async function startInstallationIn(
  folder: string,
  options: {
    args?: string[]
    env?: Record<string, string>
    /** hears every line, also those before it is ready */
    onLine?: (line: string) => void
    /** the program and its first arguments; `bin/countersign` of this checkout when absent */
    program?: readonly [string, ...string[]]
  } = {},
): Promise<StartedInstallation> {
  const { args = ['--port', '0'], env = {}, onLine } = options
  const [file, ...first] = options.program ?? [process.execPath, command]
  const child = spawn(file, [...first, 'start', '--no-open', ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        onLine?.(line)
        const [, address] = /^ready (http:\/\/127\.0\.0\.1:\d+)$/.exec(line) ?? []
        if (address !== undefined) resolve(address)
      })
    }
    void exited.then((code) => reject(new Error(`it ended with ${code}:\n${lines.join('\n')}`)))
  })
  const run = join(folder, '.countersign', 'run')
  return {
    child,
    lines,
    url,
    pidOf: async (name) => {
      const pid = Number(await readFile(join(run, `${name}.pid`), 'utf8'))
      // A signal to process 0 would go to ourselves.
      if (!Number.isSafeInteger(pid) || pid <= 0) throw new Error(`${name} has no process`)
      return pid
    },
    signIn: async (email) =>
      TestSession.start(url, email, (await readFile(join(run, 'dev-token'), 'utf8')).trim()),
    stop: async () => {
      const tooLate = setTimeout(() => child.kill('SIGKILL'), stopWithinMs)
      child.kill('SIGINT')
      try {
        return await exited
      } finally {
        clearTimeout(tooLate)
      }
    },
  }
}
