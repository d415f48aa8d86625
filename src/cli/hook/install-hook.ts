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
  readonly hooks: readonly { readonly type: string; readonly command?: string }[]
}

/** What a hook is given on its command line. */
type HookWords = Readonly<Record<'url' | 'worker' | 'root' | 'wait', string | undefined>>

/**
 * The line that runs the hook on every machine: what is on the PATH, else what the project
 * installed, never anything that npx would fetch. The folder is Claude Code's own variable; key and
 * address are in the environment.
 */
export function hookCommand(words: HookWords): string {
  const given = Object.entries(words).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoted(value)],
  )
  const hook = ['countersign hook claude-code --project "${CLAUDE_PROJECT_DIR:-.}"', ...given]
  const line = hook.join(' ')
  return `if command -v countersign >/dev/null 2>&1; then ${line}; else npx --no-install ${line}; fi`
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
export async function installHook(
  folder: string,
  hook: { readonly command: string; readonly timeoutSeconds: number },
): Promise<string> {
  const file = join(folder, '.claude', 'settings.json')
  const settings = await readSettings(file)
  const before = settings['hooks'] ?? {}
  if (!isObject(before)) throw new CommandFailure(`${file}: hooks is not an object; mend it first`)
  const entry = { type: 'command', command: `${hook.command} || exit 2` }
  const hooks = {
    ...before,
    PreToolUse: [
      ...others(file, before, 'PreToolUse'),
      { matcher, hooks: [{ ...entry, timeout: hook.timeoutSeconds }] },
    ],
    ...Object.fromEntries(
      ['PostToolUse', 'PostToolUseFailure'].map((name) => [
        name,
        [
          ...others(file, before, name),
          { matcher, hooks: [{ type: 'command', command: hook.command, timeout: 30 }] },
        ],
      ]),
    ),
  }
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify({ ...settings, hooks }, null, 2)}\n`)
  await rename(draft, file)
  return file
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
