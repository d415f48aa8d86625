import { isAbsolute, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Environment } from '#runtime/environment.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { whenOutputFails } from '../terminal/standard-output.ts'
import { agentSettings, askingEvents, type AskingEvent } from './settings/agent-settings.ts'
import { agentOf, agents, type AgentName } from '#domain/hooks/agents.ts'
import { errorMessage } from '#domain/error-message.ts'
import { isBeforeCall, type HookEventName } from '#domain/hooks/hook-events.ts'
import { hookCommand, hookUrl, installHook, writeManaged, type HookWords } from './install-hook.ts'
import { writePlugin } from './write-plugin.ts'
import { secondsOf } from '../terminal/wait-seconds.ts'
import { runHook, type HookOptions } from './run-hook.ts'

/** The options of `countersign hook NAME` and `countersign-hook NAME`. */
export interface HookCommandOptions extends HookOptions {
  readonly install?: boolean
  readonly managed?: boolean
  readonly plugin?: boolean
  readonly http?: boolean
  readonly event?: string
  readonly program?: string
  readonly json?: boolean
}

const installedWait = '3300'

/** Answers one event on standard input, or writes the settings that call the hook. */
export async function runHookCommand(
  name: string,
  options: HookCommandOptions,
  environment: Environment,
): Promise<void> {
  if (options.install === true || options.managed === true || options.plugin === true) {
    if (!isAgent(name)) throw new CommandFailure(`there is no hook "${name}"`, exitCodes.usage)
    await install(name, { ...options, wait: options.wait ?? installedWait })
    return
  }
  denyHoweverItEnds()
  const output = await runHook(name, options, {
    environment,
    input: text(process.stdin),
    onEvent: (event) => (process.exitCode = endCodeOf(name, event)),
  })
  // The agent must not wait for work that continues after the answer.
  if (output !== '') await new Promise((resolve) => process.stdout.write(`${output}\n`, resolve))
  process.exit(0)
}

const denialCode = 2

/**
 * The exit code of a hook that ends without an answer. After a call nothing can be denied, and the
 * model could take a failure for that of the call. After exit code 2 of a permission request,
 * Claude Code asks its own person; with `onFailure: "block"` other codes deny.
 */
function endCodeOf(name: string, event: HookEventName): number {
  if (!isBeforeCall(event)) return 0
  return name === 'claude-code' && event === 'PermissionRequest' ? 1 : denialCode
}

/**
 * Makes this process deny the call, with an exit code, also if it is ended, fails, or cannot write
 * its answer: after most other ends, agents make the call.
 */
function denyHoweverItEnds(): void {
  const deny = (error: unknown): void => {
    console.error(errorMessage(error))
    process.exit()
  }
  process.exitCode = denialCode
  whenOutputFails(deny)
  process.on('uncaughtException', deny)
  process.on('unhandledRejection', deny)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => deny(new Error('Countersign: the hook was ended before its answer')))
  }
}

function isAgent(name: string): name is AgentName {
  return agentOf(name) !== null
}

async function install(
  name: AgentName,
  options: HookCommandOptions & { readonly wait: string },
): Promise<void> {
  const { title } = agents[name]
  const folder = resolve(options.project ?? '.')
  const waitSeconds = secondsOf(options.wait)
  if (options.data !== undefined || isAbsolute(options.root ?? '')) {
    throw new CommandFailure(
      'The settings are for every machine of a team: leave --data out and set COUNTERSIGN_URL, and give --root relative to the project folder',
      exitCodes.usage,
    )
  }
  const { callbackUrl, defer, root, url, wait, worker } = options
  checkDefer(name, options)
  const leave = { defer, 'callback-url': callbackUrl }
  const command = hookCommand(name, { url, worker, root, wait, ...leave })
  // An agent continues without a hook that takes too long, so its limit is longer than the hook's.
  const hook = {
    command,
    timeoutSeconds: waitSeconds + 120,
    ...eventOf(name, options.event),
    ...(options.http === true ? { httpUrl: httpUrlOf(name, { url, worker, root, wait }) } : {}),
  }
  if (options.plugin === true) {
    if (name !== 'claude-code')
      throw new CommandFailure('--plugin is for claude-code', exitCodes.usage)
    const plugin = await writePlugin(folder, hook, url)
    const environment =
      url === undefined
        ? ', a key in COUNTERSIGN_API_KEY, and the address in COUNTERSIGN_URL'
        : ' and a key in COUNTERSIGN_API_KEY'
    console.log(
      `Written to ${plugin}, which names no folder of this machine: claude --plugin-dir countersign-plugin. Every machine needs countersign on the PATH${environment}.`,
    )
    return
  }
  if (options.managed === true) {
    const managed = await writeManaged(name, folder, hook)
    console.log(
      `Written to ${managed.file}. Install it as root on each machine: ${managed.install}. People cannot switch this hook off.`,
    )
    return
  }
  const file = await installHook(name, folder, hook)
  if (options.http === true) {
    console.log(
      `Written to ${file}, which can be committed: it names no folder of this machine. ${title} asks the service itself from its next session on; releases before 2.1.295 make the call when the service does not answer. Every machine needs a key in COUNTERSIGN_API_KEY (countersign keys create --name ${name} --scopes requests:write).`,
    )
    return
  }
  const address =
    url === undefined
      ? ' It needs the address of the service in COUNTERSIGN_URL too, unless the service runs there for the same folder.'
      : ''
  console.log(
    `Written to ${file}, which can be committed: it names no folder of this machine. ${title} asks from its next session on. Every machine needs countersign-hook or countersign, on the PATH or installed in the project. It needs a key in COUNTERSIGN_API_KEY (countersign keys create --name ${name} --scopes requests:write,requests:read).${address}`,
  )
  const { note } = agentSettings[name]
  if (note !== null) console.log(note)
}

/** The event on which the agent asks. */
function eventOf(name: AgentName, word: string | undefined): { readonly event?: AskingEvent } {
  if (word === undefined) return {}
  const event = askingEvents.find((one) => one === word)
  const events: readonly string[] = agents[name].events
  if (event !== undefined && events.includes(event)) return { event }
  throw new CommandFailure(`${agents[name].title} does not ask with ${word}`, exitCodes.usage)
}

/** Only Claude Code can ask over HTTP. Its paths are relative to the folder of its session. */
function httpUrlOf(name: AgentName, words: HookWords): string {
  if (name !== 'claude-code' || words.root !== undefined) {
    throw new CommandFailure('--http is for claude-code, and takes no --root', exitCodes.usage)
  }
  return hookUrl(words)
}

/** Only a session of Claude Code can end and be resumed, and only with its program. */
function checkDefer(
  name: AgentName,
  { callbackUrl, defer, event, http }: HookCommandOptions,
): void {
  if (defer === undefined && callbackUrl === undefined) return
  if (name !== 'claude-code' || http === true || event === 'PermissionRequest') {
    throw new CommandFailure(
      '--defer and --callback-url are for claude-code with PreToolUse, and not for --http',
      exitCodes.usage,
    )
  }
  if (defer !== undefined) secondsOf(defer, '--defer')
}
