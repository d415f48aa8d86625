import type { AgentName } from '#domain/hooks/agents.ts'
import { isObject } from '#domain/json/is-object.ts'
import { openCodePlugin } from './open-code-plugin.ts'

/** `PermissionRequest` comes only for calls that the agent's own settings ask a person about. */
export const askingEvents = ['PreToolUse', 'PermissionRequest'] as const

export type AskingEvent = (typeof askingEvents)[number]

/** A line for a shell, and how many seconds the agent waits for it. */
export interface HookLine {
  readonly command: string
  readonly timeoutSeconds: number
  /**
   * the address at which the agent asks the service itself, without running anything; absent:
   * `command`
   */
  readonly httpUrl?: string
  /** the event on which the agent asks; absent: `PreToolUse`, for every call */
  readonly event?: AskingEvent
}

/** The file of an agent that an administrator installs, and its place. */
interface ManagedFile {
  readonly file: string
  readonly install: string
  /** its settings beside the hooks */
  readonly more: Readonly<Record<string, unknown>>
  /**
   * additional settings for a hook that is called only where the agent's settings ask; absent: none
   */
  readonly moreWhereAsking?: Readonly<Record<string, unknown>>
  /** makes the content from the hook's entries; absent: the file is JSON */
  readonly text?: (entries: Readonly<Record<string, object>>) => string
}

/** How the settings of an agent call the hook, from the contract that the agent publishes. */
export interface AgentSettings {
  /** relative to the project folder; a team commits it */
  readonly file: string
  /** the project folder, as a word for a POSIX shell */
  readonly folder: string
  /** the file's settings beside the hooks */
  readonly more: Readonly<Record<string, unknown>>
  /** the hook's entry for each event; a hook before a call blocks the call if it fails */
  readonly entries: (hook: HookLine) => Readonly<Record<string, object>>
  /**
   * makes the content of the file for an agent that runs plugins instead of commands and has no
   * `entries`
   */
  readonly plugin?: (hook: HookLine) => string
  /** `null`: administrators have no file of hooks for this agent */
  readonly managed: ManagedFile | null
  /** a sentence for the person who installs it; `null` for none */
  readonly note: string | null
}

const afterSeconds = 30
/** Every tool, also of later releases: the hook itself knows which are harmless. */
const everyTool = '*'

/** Most agents run the call if a hook fails in another way, or blocks without a word. */
function blockOnFailure(command: string): string {
  return `${command} || { echo "The hook of Countersign failed, so this call does not run" >&2; exit 2; }`
}

/** The file does not contain the key: the agent takes it from the environment. */
function httpHook(url: string): object {
  return {
    type: 'http',
    url,
    headers: { authorization: 'Bearer $COUNTERSIGN_API_KEY' },
    allowedEnvVars: ['COUNTERSIGN_API_KEY'],
  }
}

/** The settings by the names in `countersign hook NAME --install`. */
export const agentSettings: Readonly<Record<AgentName, AgentSettings>> = {
  'claude-code': {
    file: '.claude/settings.json',
    folder: '"${CLAUDE_PROJECT_DIR:-.}"',
    more: {},
    entries({ command, event = 'PreToolUse', httpUrl, timeoutSeconds: timeout }) {
      // After exit code 2 of a permission request the agent asks its own person; 1 blocks.
      const before = {
        ...(httpUrl === undefined
          ? { type: 'command', command: `${command} || exit ${event === 'PreToolUse' ? 2 : 1}` }
          : httpHook(httpUrl)),
        onFailure: 'block',
      }
      const report = httpUrl === undefined ? { type: 'command', command } : httpHook(httpUrl)
      const hooks = [{ ...report, timeout: afterSeconds }]
      const after = { matcher: everyTool, hooks }
      return {
        [event]: { matcher: everyTool, hooks: [{ ...before, timeout }] },
        PostToolUse: after,
        PostToolUseFailure: after,
      }
    },
    managed: {
      file: 'managed-settings.json',
      install:
        '/etc/claude-code/managed-settings.json on Linux, "/Library/Application Support/ClaudeCode/managed-settings.json" on macOS',
      more: {
        allowManagedHooksOnly: true,
        permissions: { disableBypassPermissionsMode: 'disable' },
      },
      // `PermissionRequest` does not come for a call that a person's own rule allows.
      moreWhereAsking: { allowManagedPermissionRulesOnly: true },
    },
    note: null,
  },
  codex: {
    file: '.codex/hooks.json',
    folder: '"$(git rev-parse --show-toplevel 2>/dev/null || pwd)"',
    more: {},
    // Without a matcher the hook is called for every tool.
    entries: ({ command, event = 'PreToolUse', timeoutSeconds: timeout }) => ({
      [event]: { hooks: [{ type: 'command', command: blockOnFailure(command), timeout }] },
      PostToolUse: { hooks: [{ type: 'command', command, timeout: afterSeconds }] },
    }),
    managed: {
      file: 'codex-requirements.toml',
      install: '/etc/codex/requirements.toml on Linux and macOS',
      more: {},
      text: codexRequirements,
    },
    note: 'Codex runs a hook only after each person has trusted it in /hooks, also after every change of it.',
  },
  'gemini-cli': {
    file: '.gemini/settings.json',
    folder: '"${GEMINI_PROJECT_DIR:-.}"',
    more: {},
    entries({ command, timeoutSeconds }) {
      const hook = { name: 'countersign', type: 'command' }
      // Its timeout is in milliseconds, and its matcher is a regular expression.
      const before = { ...hook, command: blockOnFailure(command), timeout: timeoutSeconds * 1000 }
      const after = { ...hook, command, timeout: afterSeconds * 1000 }
      return {
        BeforeTool: { matcher: '.*', hooks: [before] },
        AfterTool: { matcher: '.*', hooks: [after] },
      }
    },
    managed: {
      file: 'gemini-settings.json',
      install:
        '/etc/gemini-cli/settings.json on Linux, "/Library/Application Support/GeminiCli/settings.json" on macOS',
      more: {},
    },
    note: null,
  },
  'copilot-cli': {
    file: '.github/hooks/countersign.json',
    folder: '.',
    more: { version: 1 },
    entries({ command, timeoutSeconds: timeoutSec }) {
      const hook = { type: 'command', cwd: '.' }
      const after = { ...hook, bash: command, timeoutSec: afterSeconds }
      return {
        preToolUse: { ...hook, bash: blockOnFailure(command), timeoutSec },
        postToolUse: after,
        postToolUseFailure: after,
      }
    },
    managed: {
      file: 'copilot-policy.json',
      install: '/etc/github-copilot/policy.d/countersign.json on Linux',
      more: { version: 1 },
    },
    note: null,
  },
  cursor: {
    file: '.cursor/hooks.json',
    folder: '"${CURSOR_PROJECT_DIR:-.}"',
    more: { version: 1 },
    entries: ({ command, timeoutSeconds: timeout }) => ({
      preToolUse: { command: blockOnFailure(command), timeout, failClosed: true },
    }),
    managed: {
      file: 'cursor-hooks.json',
      install:
        '/etc/cursor/hooks.json on Linux, "/Library/Application Support/Cursor/hooks.json" on macOS',
      more: { version: 1 },
    },
    note: null,
  },
  opencode: {
    file: '.opencode/plugins/countersign.js',
    folder: '.',
    more: {},
    entries: () => ({}),
    plugin: openCodePlugin,
    managed: null,
    note: null,
  },
}

/**
 * The requirements that an administrator installs for Codex, in TOML: the hooks of these events run
 * in every folder without being trusted by a person, and no others run.
 */
function codexRequirements(entries: Readonly<Record<string, object>>): string {
  const lines = ['allow_managed_hooks_only = true']
  for (const [event, entry] of Object.entries(entries)) {
    const hooks: unknown = Object.entries(entry).find(([name]) => name === 'hooks')?.[1]
    lines.push('', `[[hooks.${event}]]`)
    for (const hook of Array.isArray(hooks) ? hooks.filter(isObject) : []) {
      lines.push(`[[hooks.${event}.hooks]]`)
      // Every string of JSON is also a string of TOML.
      for (const [name, value] of Object.entries(hook))
        lines.push(`${name} = ${JSON.stringify(value)}`)
    }
  }
  return `${lines.join('\n')}\n`
}
