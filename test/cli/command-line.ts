import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '../harness/wait-until.ts'

const run = promisify(execFile)
const command = fileURLToPath(new URL('../../bin/countersign', import.meta.url))
// The terminal's own sequences are what we look through, and hidden characters what we look for.
// oxlint-disable-next-line no-control-regex
const styling = /\u001b\[[0-9;?]*[A-Za-z]/g

const printState = 'echo "exit code $?"; stty -a'

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** `countersign` in a project folder, as a person or a program calls it. */
export class CommandLine {
  readonly #folder: string
  readonly #environment: Readonly<Record<string, string>>

  /** Sessions of `countersign login` stay in the folder too. */
  constructor(folder: string, environment: Readonly<Record<string, string>> = {}) {
    this.#folder = folder
    this.#environment = { XDG_CONFIG_HOME: join(folder, '.config'), ...environment }
  }

  /** The same folder with other variables. */
  with(environment: Readonly<Record<string, string>>): CommandLine {
    return new CommandLine(this.#folder, { ...this.#environment, ...environment })
  }

  /**
   * Without a terminal: pipes on all three sides. Here and below the first argument may be several
   * words with blanks between them.
   */
  async run(...args: string[]): Promise<Ended> {
    const child = spawn(process.execPath, [command, ...wordsOf(args)], {
      cwd: this.#folder,
      env: { ...process.env, ...this.#environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close') as Promise<[number | null]>
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    return { code, out, err }
  }

  /** The same, for what must succeed; answers standard output. */
  async ok(...args: string[]): Promise<string> {
    const { code, out, err } = await this.run(...args)
    if (code !== 0) throw new Error(`countersign ${args.join(' ')} ended with ${code}: ${err}`)
    return out
  }

  /** The same, for what must end with this exit code; `reason` is what standard error says. */
  async fails(code: number, reason: string | RegExp, ...args: string[]): Promise<void> {
    const { code: actual, err } = await this.run(...args)
    assert.ok(typeof reason === 'string' ? err.includes(reason) : reason.test(err), err)
    assert.equal(actual, code, err)
  }

  /** A run of a worker that waits for a person, and the number of the request it waits for. */
  async waiting(worker: string): Promise<{ run: string; request: string }> {
    const { code, out } = await this.run(`run ${worker} please --watch --as ada@example.com`)
    assert.equal(code, 3, out)
    const [, run = ''] = /^run (\S+) of/.exec(out) ?? []
    const [, request = ''] = /^#(\d+) /m.exec(out) ?? []
    return { run, request }
  }

  /** The same, as JSON. */
  async json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    return JSON.parse(await this.ok(...args, '--json')) as T
  }

  /** At a terminal of 100 columns and 50 rows. */
  atTerminal(...args: string[]): Terminal {
    return new Terminal(this.#folder, this.#environment, `exec ${lineOf(args)}`)
  }

  /** The same from a shell, which prints the exit code and the terminal's settings afterwards. */
  inShell(...args: string[]): Terminal {
    return new Terminal(this.#folder, this.#environment, `${lineOf(args)}; ${printState}`)
  }

  /**
   * The same command in a shell that continues when the command is stopped, and then resumes it.
   */
  stoppedOnce(...args: string[]): Terminal {
    const line = `set -m; ${lineOf(args)}; ${printState}; fg; ${printState}`
    return new Terminal(this.#folder, this.#environment, line)
  }
}

/** A command with a person at it, through a pseudo-terminal. */
export class Terminal {
  readonly #child
  readonly #ended: Promise<number | null>
  #raw = ''
  #seen = 0

  constructor(folder: string, environment: Readonly<Record<string, string>>, line: string) {
    // Ctrl-C at a pager reaches the shell too, which must not end before the command. A signal that
    // is trapped, unlike one that is ignored, has its usual effect in the command.
    const whole = `trap : INT; stty cols 100 rows 50; ${line}`
    this.#child = spawn('script', ['-qfec', whole, '/dev/null'], {
      cwd: folder,
      env: { ...process.env, SHELL: '/bin/sh', TERM: 'xterm-256color', CI: '', ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child.stdout.setEncoding('utf8').on('data', (piece: string) => (this.#raw += piece))
    this.#ended = once(this.#child, 'close').then(([code]) => code as number | null)
  }

  /** Everything so far, without the styles and cursor movements that the prompts draw with. */
  get screen(): string {
    return this.#raw.replaceAll(styling, '')
  }

  /** Everything so far as the terminal got it. */
  get raw(): string {
    return this.#raw
  }

  /** Waits for a text after what was waited for before. */
  async sees(text: string): Promise<void> {
    await waitUntil(
      () => this.screen.includes(text, this.#seen) || `no “${text}” in:\n${this.screen}`,
    )
    this.#seen = this.screen.indexOf(text, this.#seen) + text.length
  }

  /** Waits for each text in turn, and types the keys that stand beside it. */
  async converse(
    ...steps: readonly (string | readonly [text: string, keys: string])[]
  ): Promise<void> {
    for (const step of steps) {
      const [text, keys] = typeof step === 'string' ? [step] : step
      await this.sees(text)
      if (keys !== undefined) this.type(keys)
    }
  }

  type(keys: string): void {
    this.#child.stdin.write(keys)
  }

  /** Makes the window so many columns wide, as a person does who drags its edge. */
  async resize(columns: number): Promise<void> {
    const terminal = await readlink(`/proc/${await this.#shell()}/fd/0`)
    await run('stty', ['-F', terminal, 'cols', String(columns)])
  }

  /** Sends a signal to the command, which `inShell` has started. */
  async signal(name: NodeJS.Signals): Promise<void> {
    process.kill(await childOf(await this.#shell()), name)
  }

  #shell(): Promise<number> {
    return childOf(this.#child.pid ?? 0)
  }

  /** Waits for the prompt, moves to the n-th choice below the first, and takes it. */
  async choose(prompt: string, below: number): Promise<void> {
    await this.sees(prompt)
    await this.sees('Enter:')
    this.type(`${'\u001b[B'.repeat(below)}\r`)
  }

  /** The exit code. */
  async ends(): Promise<number | null> {
    const code = await this.#ended
    this.#child.stdin.end()
    return code
  }
}

async function childOf(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return Number(children.trim().split(' ')[0])
}

function lineOf(args: readonly string[]): string {
  return [process.execPath, command, ...wordsOf(args)].map(quote).join(' ')
}

function wordsOf([first = '', ...others]: readonly string[]): string[] {
  return [...first.split(' '), ...others]
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
