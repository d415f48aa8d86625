import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandFailure } from '../terminal/exit-codes.ts'

/**
 * Every tool, those of tomorrow too: what is harmless is the hook's own to say (harmless-tools.ts).
 */
const matcher = '*'

/** Below which a command of ours is recognised when it is installed again. */
const ours = / hook claude-code(?![\w-])/

interface HookGroup {
  readonly matcher?: string
  readonly hooks: readonly {
    readonly type: string
    readonly command?: string
    readonly onFailure?: string
    readonly timeout?: number
  }[]
}

/** A line for a shell, and how long the agent gives it. */
interface HookLine {
  readonly command: string
  readonly timeoutSeconds: number
}

/** What a hook is given on its command line. */
type HookWords = Readonly<Record<'url' | 'worker' | 'root' | 'wait', string | undefined>>

/**
 * The line that runs the hook on every machine: what is on the PATH, else what the project
 * installed; nothing is fetched. The folder is Claude Code's own variable; key and address are in
 * the environment.
 */
export function hookCommand(words: HookWords): string {
  const given = Object.entries(words).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoted(value)],
  )
  const hook = ['claude-code --project "${CLAUDE_PROJECT_DIR:-.}"', ...given]
  const line = hook.join(' ')
  const places = 'PATH="$PATH:${CLAUDE_PROJECT_DIR:-.}/node_modules/.bin"'
  return `${places}; if command -v countersign-hook >/dev/null 2>&1; then countersign-hook ${line}; else countersign hook ${line}; fi`
}

/** One word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * Writes the hooks into `.claude/settings.json` of a folder and keeps everything else that is
 * there. Installed again, its own are replaced. Returns the file. `command` is a line for a shell;
 * should it not be found, it must block.
 */
export async function installHook(folder: string, hook: HookLine): Promise<string> {
  const file = join(folder, '.claude', 'settings.json')
  const settings = await readSettings(file)
  const before = settings['hooks'] ?? {}
  if (!isObject(before)) throw new CommandFailure(`${file}: hooks is not an object; mend it first`)
  const hooks = { ...before }
  for (const [name, group] of Object.entries(groupsOf(hook))) {
    hooks[name] = [...others(file, before, name), group]
  }
  await writeWhole(file, { ...settings, hooks })
  return file
}

/**
 * Writes `managed-settings.json` into a folder, for an administrator to install: the same hooks,
 * and no others, which no settings of a person or a project take away. Returns the file.
 */
export async function writeManaged(folder: string, hook: HookLine): Promise<string> {
  const file = join(folder, 'managed-settings.json')
  const hooks = Object.entries(groupsOf(hook)).map(([name, group]) => [name, [group]])
  await writeWhole(file, {
    allowManagedHooksOnly: true,
    permissions: { disableBypassPermissionsMode: 'disable' },
    hooks: Object.fromEntries(hooks),
  })
  return file
}

/** Our group of each event. Before a call, a hook that fails or is late blocks it. */
function groupsOf({ command, timeoutSeconds }: HookLine): Readonly<Record<string, HookGroup>> {
  const blocking = { type: 'command', command: `${command} || exit 2`, onFailure: 'block' }
  const after = { matcher, hooks: [{ type: 'command', command, timeout: 30 }] }
  return {
    PreToolUse: { matcher, hooks: [{ ...blocking, timeout: timeoutSeconds }] },
    PostToolUse: after,
    PostToolUseFailure: after,
  }
}

async function writeWhole(file: string, settings: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(settings, null, 2)}\n`)
  await rename(draft, file)
}

async function readSettings(file: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    const settings: unknown = JSON.parse(text)
    if (isObject(settings)) return settings
  } catch {
    // The same sentence as for what is no object.
  }
  throw new CommandFailure(`${file} is not a JSON object; mend it first. Nothing was changed.`)
}

/** The groups of one event that are not ours, as they are. */
function others(file: string, hooks: Record<string, unknown>, name: string): readonly unknown[] {
  const groups = hooks[name] ?? []
  if (!Array.isArray(groups)) {
    throw new CommandFailure(`${file}: hooks.${name} is not a list; mend it first`)
  }
  return groups.filter((group) => !isOurs(group))
}

function isOurs(group: unknown): boolean {
  if (!isObject(group) || !Array.isArray(group['hooks'])) return false
  const { hooks } = group as unknown as HookGroup
  return hooks.length > 0 && hooks.every(({ command }) => ours.test(command ?? ''))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
