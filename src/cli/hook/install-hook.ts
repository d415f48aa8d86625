import { errorCode } from '#domain/error-code.ts'
import { parseObject } from '#domain/json/parse-json.ts'
import { shellWord } from '#domain/tools/shell-word.ts'
import { isObject } from '#domain/json/is-object.ts'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { operations } from '#client/operations.ts'
import { writeWhole } from '#runtime/files.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import { agentSettings, type HookLine } from './settings/agent-settings.ts'
import { agents, type AgentName } from '#domain/hooks/agents.ts'

/** The options of a hook on its command line. */
export type HookWords = Readonly<
  Record<'url' | 'worker' | 'root' | 'wait', string | undefined> &
    Partial<Record<'defer' | 'callback-url', string | undefined>>
>

/** What the agent, and so the model and the person, reads on a machine without the hook. */
const missing =
  'The hook of Countersign is not installed here, so this call does not run. Install countersign-hook from npm, in the project or globally.'

/**
 * The line that runs the hook on every machine: from the PATH, or else from what the project
 * installed; nothing is downloaded. The folder comes from the agent's own variable; key and address
 * are in the environment. Without the program it fails with a sentence.
 */
export function hookCommand(name: AgentName, words: HookWords): string {
  const { folder } = agentSettings[name]
  const hookFlags = Object.entries(words).flatMap(([word, value]) =>
    value === undefined ? [] : [`--${word}`, shellWord(value)],
  )
  const line = [`${name} --project ${folder}`, ...hookFlags].join(' ')
  const places = `PATH="$PATH:"${folder}/node_modules/.bin`
  const [small, whole] = ['countersign-hook', 'countersign'].map(
    (program) => `command -v ${program} >/dev/null 2>&1`,
  )
  return `${places}; if ${small}; then countersign-hook ${line}; elif ${whole}; then countersign hook ${line}; else echo ${shellWord(missing)} >&2; false; fi`
}

/**
 * The address at which the service answers the hooks of Claude Code. Throws for an invalid address.
 */
export function hookUrl({ url, wait, worker }: HookWords): string {
  if (url === undefined) {
    throw new CommandFailure('--http needs --url, the address of the service', exitCodes.usage)
  }
  const [, path = ''] = operations.answerClaudeCodeHook.split(' ')
  let address: URL
  try {
    address = new URL(path, url)
  } catch {
    throw new CommandFailure(`${url} is not the address of a service`, exitCodes.usage)
  }
  for (const [word, value] of Object.entries({ worker, wait })) {
    if (value !== undefined) address.searchParams.set(word, value)
  }
  return address.href
}

/**
 * Writes the hooks into the settings that an agent has in a project folder and keeps everything
 * else there. A second installation replaces its own hooks. Returns the file. `command` is a line
 * for a shell; if it is not found, it must block.
 */
export async function installHook(
  name: AgentName,
  folder: string,
  hook: HookLine,
): Promise<string> {
  const { entries, file: relative, more, plugin } = agentSettings[name]
  const file = join(folder, relative)
  if (plugin !== undefined) {
    await writeText(file, plugin(hook))
    return file
  }
  const settings = await readSettings(file)
  const before = settings['hooks'] ?? {}
  if (!isObject(before))
    throw new CommandFailure(`${file}: hooks is not an object; correct it first`)
  const hooks = { ...before }
  const ours = entries(hook)
  // Removes the hook from events that only an earlier installation used.
  for (const event of new Set([...agents[name].events, ...Object.keys(ours)])) {
    const entry = ours[event]
    const list = [...others({ file, name }, before, event), ...(entry === undefined ? [] : [entry])]
    if (list.length > 0) hooks[event] = list
    else delete hooks[event]
  }
  await writeSettings(file, { ...more, ...settings, hooks })
  return file
}

/**
 * Writes the file that an administrator installs into a folder: the same hooks and no others, which
 * no settings of a person or a project can remove. Returns the file and its place.
 */
export async function writeManaged(
  name: AgentName,
  folder: string,
  hook: HookLine,
): Promise<{ readonly file: string; readonly install: string }> {
  const { entries, managed } = agentSettings[name]
  if (managed === null) {
    throw new CommandFailure(
      `${name} has no file of hooks for administrators that could be written`,
    )
  }
  const file = join(folder, managed.file)
  if (managed.text !== undefined) {
    await writeText(file, managed.text(entries(hook)))
    return { file, install: managed.install }
  }
  const hooks = Object.entries(entries(hook)).map(([event, entry]) => [event, [entry]])
  const more = hook.event === 'PermissionRequest' ? managed.moreWhereAsking : {}
  await writeSettings(file, { ...managed.more, ...more, hooks: Object.fromEntries(hooks) })
  return { file, install: managed.install }
}

/** Writes a whole file of JSON, and creates its folders. */
export function writeSettings(file: string, settings: object): Promise<void> {
  return writeText(file, `${JSON.stringify(settings, null, 2)}\n`)
}

async function writeText(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeWhole(file, text, 0o666)
}

async function readSettings(file: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw error
  }
  const settings = parseObject(text)
  if (settings !== null) return settings
  throw new CommandFailure(`${file} is not a JSON object; correct it first. Nothing was changed.`)
}

/** The other entries of an event, unchanged. */
function others(
  { file, name }: { readonly file: string; readonly name: AgentName },
  hooks: Record<string, unknown>,
  event: string,
): readonly unknown[] {
  const entries = hooks[event] ?? []
  if (!Array.isArray(entries)) {
    throw new CommandFailure(`${file}: hooks.${event} is not a list; correct it first`)
  }
  const ours = new RegExp(`(?: hook |/hooks/)${name}(?![\\w-])`)
  return entries.filter((entry) => {
    const commands = commandsOf(entry)
    return commands.length === 0 || !commands.every((command) => ours.test(command))
  })
}

/**
 * The lines that an entry runs and the addresses that it calls; some agents list them inside it.
 */
function commandsOf(entry: unknown): readonly string[] {
  if (!isObject(entry)) return []
  const { bash, command, hooks, url } = entry
  if (Array.isArray(hooks)) return hooks.flatMap(commandsOf)
  return [command ?? bash ?? url].filter((line) => typeof line === 'string')
}
