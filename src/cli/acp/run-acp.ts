import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { parseJson } from '#domain/json/parse-json.ts'
import { isObject } from '#domain/json/is-object.ts'
import { LineSplitter } from '#domain/text/encoding/line-splitter.ts'
import { wordSet } from '#domain/text/word-set.ts'
import { PermissionProxy, type CallJudge } from './permission-proxy.ts'

type Fields = Readonly<Record<string, unknown>>

/** The requests of an editor after which an agent works with settings of that editor. */
const opening = wordSet('session/new session/load session/resume session/fork')

/**
 * The message of an editor. A message that opens a session also gives Claude Code
 * (`claude-agent-acp`) a rule to ask about every call; without that rule it decides most calls
 * itself. The rule counts in every mode of the session and before rules that allow. Other agents
 * ignore it.
 */
export function askAboutEveryCall(message: Fields): Fields {
  const { method, params } = message
  if (typeof method !== 'string' || !opening.has(method) || !isObject(params)) return message
  const meta = memberOf(params, '_meta')
  const claude = memberOf(meta, 'claudeCode')
  const options = memberOf(claude, 'options')
  // Settings that are the name of a file cannot be extended: the rule replaces them.
  const settings = memberOf(options, 'settings')
  const permissions = memberOf(settings, 'permissions')
  const asking = { ...settings, permissions: { ...permissions, ask: ['*'] } }
  const claudeCode = { ...claude, options: { ...options, settings: asking } }
  return { ...message, params: { ...params, _meta: { ...meta, claudeCode } } }
}

function memberOf(object: Fields, name: string): Fields {
  const member = object[name]
  return isObject(member) ? member : {}
}

/** Messages of agents are shorter; a longer line is an error. */
const maxLineCharacters = 16 * 1024 * 1024

/**
 * Runs an agent as a program and passes messages between it and the editor, which reads `output`
 * and writes `input`. Resolves with the agent's exit code once one of them ends. Rejects if the
 * agent cannot be started.
 */
export function runAcp(of: {
  readonly agent: readonly [string, ...string[]]
  readonly cwd: string
  readonly judge: CallJudge
  readonly input: Readable
  readonly output: Writable
  readonly warn: (sentence: string) => void
}): Promise<number> {
  const [program, ...words] = of.agent
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const write = (to: Writable, message: unknown): void => {
    if (to.writable) to.write(`${JSON.stringify(message)}\n`)
  }
  const proxy = new PermissionProxy({
    judge: of.judge,
    cwd: of.cwd,
    answer: (message) => write(child.stdin, message),
    warn: of.warn,
  })
  child.stdin.on('error', () => undefined)
  of.output.on('error', () => child.kill())
  const refuse = (sender: string, signal: NodeJS.Signals): void => {
    of.warn(
      `The agent was ended: ${sender} sent a message of over 16 million characters. Start it again, and let ${sender} send less at once.`,
    )
    child.kill(signal)
  }
  eachMessage(
    child.stdout,
    () => refuse('it', 'SIGKILL'),
    async (message) => {
      if (!isObject(message) || (await proxy.fromAgent(message))) write(of.output, message)
    },
  )
  eachMessage(
    of.input,
    () => refuse('the editor', 'SIGTERM'),
    async (message) => {
      if (!isObject(message)) return write(child.stdin, message)
      proxy.fromEditor(message)
      write(child.stdin, askAboutEveryCall(message))
    },
  )
  of.input.once('end', () => {
    void proxy.end()
    child.stdin.end()
  })
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      // The editor keeps its end of the pipe open, which would keep this process running.
      of.input.destroy()
      reject(new Error(`The agent ${program} cannot be started: ${cause.message}`, { cause }))
    })
    child.once('close', (code) => {
      void proxy.end().then(() => resolve(code ?? 1))
    })
  })
}

/**
 * The messages of a stream of lines, in order and as they were parsed here, so that nobody reads a
 * line differently. Lines that are no JSON are left out. The messages of a list come one by one.
 */
function eachMessage(
  from: Readable,
  refuse: () => void,
  take: (message: unknown) => Promise<void>,
): void {
  let before: Promise<void> = Promise.resolve()
  const read = (line: string): void => {
    if (line.length > maxLineCharacters) return refuse()
    const message = parseJson(line)
    if (message === undefined) return
    for (const one of Array.isArray(message) ? message : [message]) {
      before = before.then(() => take(one))
    }
  }
  const lines = new LineSplitter(maxLineCharacters)
  from.on('data', (bytes: Buffer) => lines.take(bytes).forEach(read))
  from.once('end', () => read(lines.end()))
}
