import { valueIn } from '../json/value-in.ts'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { canonicalJson } from '../json/digest.ts'
import { isObject } from '../json/is-object.ts'
import { wordSet } from '../text/word-set.ts'
import type { HookEvent } from './hook-event.ts'

/** A call as policy and approvers see it. */
export interface HookedCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

type Input = Readonly<Record<string, unknown>>

/** How a call of a tool of Claude Code becomes a call of a built-in tool. */
interface Translation {
  /** its fields that `read` carries into our call */
  readonly carried: readonly string[]
  /** its fields that do not change the effect, but at most how much the model reads of it */
  readonly harmless: ReadonlySet<string>
  readonly read: (input: Input, place: Place) => HookedCall
  /**
   * the inverse of `read`, over the agent's own input; absent: nobody may change such a call.
   * `null`: the tool cannot make that call
   */
  readonly write?: (input: Input, own: Input, place: Place) => Input | null
}

/** The tools of Claude Code that do what a built-in tool does. */
const translations: Readonly<Record<string, Translation>> = {
  Bash: {
    carried: ['command', 'timeout'],
    harmless: wordSet('description'),
    read: ({ command, timeout }, place) => ({
      tool: 'shell',
      input: {
        command,
        ...(place.cwd === '' ? {} : { cwd: place.cwd }),
        ...(typeof timeout === 'number' ? { timeoutSeconds: Math.ceil(timeout / 1000) } : {}),
      },
    }),
    write: ({ command, timeoutSeconds }, own) => ({
      ...own,
      command,
      ...(typeof timeoutSeconds === 'number' ? { timeout: timeoutSeconds * 1000 } : {}),
    }),
  },
  Read: {
    carried: ['file_path'],
    harmless: wordSet('offset limit pages allow_large'),
    read: ({ file_path }, place) => ({
      tool: 'read_file',
      input: { path: place.path(file_path) },
    }),
  },
  Write: {
    carried: ['file_path', 'content'],
    harmless: wordSet(''),
    read: ({ content, file_path }, place) => ({
      tool: 'write_file',
      input: { path: place.path(file_path), content },
    }),
    write: ({ content, path }, own, place) => ({
      ...own,
      file_path: place.absolute(path),
      content,
    }),
  },
  Edit: {
    carried: ['file_path', 'old_string', 'new_string'],
    harmless: wordSet(''),
    read: ({ file_path, new_string, old_string }, place) => ({
      tool: 'edit_file',
      input: {
        path: place.path(file_path),
        edits: [{ find: old_string, replace: new_string }],
      },
    }),
    write({ edits, path }, own, place) {
      const [edit, ...more] = Array.isArray(edits) ? edits : []
      if (!isObject(edit) || more.length > 0) return null
      const { find, replace } = edit
      const file_path = place.absolute(path)
      return { ...own, file_path, old_string: find, new_string: replace }
    },
  },
  Glob: {
    carried: ['path', 'pattern'],
    harmless: wordSet(''),
    read: ({ path, pattern }, place) => ({
      tool: 'list_files',
      input: { path: path === undefined ? place.cwd : place.path(path), glob: pattern },
    }),
  },
  LS: {
    carried: ['path'],
    harmless: wordSet('ignore'),
    read: ({ path }, place) => ({
      tool: 'list_files',
      input: { path: path === undefined ? place.cwd : place.path(path) },
    }),
  },
  Grep: {
    carried: ['path', 'pattern'],
    harmless: wordSet(`
      glob type output_mode head_limit offset multiline context -A -B -C -i -n -o`),
    read: ({ path, pattern }, place) => ({
      tool: 'search_files',
      input: { path: path === undefined ? place.cwd : place.path(path), pattern },
    }),
  },
}

/** Fields that do nothing while they are false. Others might switch something off. */
const flags = wordSet('dangerouslyDisableSandbox replace_all run_in_background')

/**
 * The call of a built-in tool for a call of Claude Code. `null` if it has a field that the built-in
 * tool does not have, such as one that leaves the sandbox or the foreground. It is then judged
 * under its own name.
 */
function translate(tool: string, input: Input, place: Place): HookedCall | null {
  const translation = valueIn(translations, tool)
  if (translation === undefined) return null
  const { carried, harmless, read } = translation
  const isCarried = Object.entries(input).every(
    ([name, value]) =>
      carried.includes(name) || harmless.has(name) || (value === false && flags.has(name)),
  )
  return isCarried && !leadsElsewhere(tool, input) ? read(input, place) : null
}

/**
 * Whether Claude Code takes a path for another one than the built-in tool would: it removes blanks
 * around it and knows a home folder, and an absolute pattern of `Glob` replaces its `path`.
 */
function leadsElsewhere(tool: string, { file_path, path, pattern }: Input): boolean {
  const isOther = [file_path, path].some(
    (at) => typeof at === 'string' && (at !== at.trim() || /^~(?:[/\\]|$)/.test(at)),
  )
  return isOther || (tool === 'Glob' && leavesFolder(String(pattern).trim()))
}

/**
 * Whether a pattern may name files outside of its folder. Braces may write `..` in two parts:
 * `{.,x}{.,y}`. A folder of Next.js has dots in its name: `[...slug]`.
 */
function leavesFolder(pattern: string): boolean {
  if (/^[/\\~]|^[A-Za-z]:|(?:^|[\\/{,}])\.\.(?:[\\/{,}]|$)/.test(pattern)) return true
  const at = pattern.search(/(?:^|[\\/{,}])\.[\\{,}]/)
  return at !== -1 && /\.(?:[\\/{,}]|$)/.test(pattern.slice(at + 2))
}

/** The folders that paths are relative to. */
interface Place {
  /** the session's folder, relative to the workspace root */
  readonly cwd: string
  path(value: unknown): unknown
  /** the inverse of `path` */
  absolute(path: unknown): unknown
}

/**
 * A tool call of Claude Code as a call of the built-in tool that does the same, so that zones and
 * shell rules judge it. Every other tool, and every other spelling, keeps its own name, and its
 * calls ask. Paths become relative to the workspace root; a path outside of it keeps its `..`,
 * which policy refuses. These calls keep their own name too: all calls if no root is known, and
 * calls of an agent that does not report all their fields. `Grep` keeps it because it also reads
 * environment and key files, unless the caller has found that there are none
 * (`searchReadsNoSecrets`).
 */
export function callOfEvent(
  event: HookEvent,
  root: string | null,
  agent = 'claude-code',
  searchReadsNoSecrets = false,
): HookedCall {
  const { tool_input: input, tool_name: tool } = event
  if (root === null) return { tool: nameOf(tool, agent), input }
  const place = placeOf(event, root)
  const isOurs = hasEveryField(event, agent) && (tool !== 'Grep' || searchReadsNoSecrets)
  const call = isOurs ? translate(tool, input, place) : null
  if (call === null) return { tool: nameOf(tool, agent), input }
  // On another drive there is no relative path: it stays absolute, and is refused.
  const outside = Object.values(call.input).some((v) => typeof v === 'string' && isAbsolute(v))
  return outside ? call : { tool: call.tool, input: dropUndefined(call.input) }
}

function placeOf(event: HookEvent, root: string): Place {
  const folder = event.cwd ?? root
  const below = (path: string): string => relative(root, resolve(folder, path)).split(sep).join('/')
  return {
    cwd: below('.'),
    path: (value) => (typeof value === 'string' ? below(value) : value),
    absolute: (path) => (typeof path === 'string' ? resolve(root, path) : path),
  }
}

/** Whether the agent can make the call with other arguments, which people may then choose. */
export function canBeChanged({ tool_input, tool_name }: HookEvent, call: HookedCall): boolean {
  return call.input === tool_input || translations[tool_name]?.write !== undefined
}

/**
 * The arguments with which the agent of an event makes the call that people approved in place of
 * its own; `null`: no arguments make the agent run exactly that call. The names of the call are
 * those of {@link callOfEvent}.
 */
export function changedInputOf(
  event: HookEvent,
  approved: HookedCall,
  root: string | null,
  agent = 'claude-code',
): Input | null {
  const call = callOfEvent(event, root, agent)
  if (call.tool !== approved.tool) return null
  if (call.input === event.tool_input) return approved.input
  const write = translations[event.tool_name]?.write
  if (write === undefined || root === null) return null
  const input = write(approved.input, event.tool_input, placeOf(event, root))
  if (input === null) return null
  const again = callOfEvent({ ...event, tool_input: input }, root, agent)
  return isSameCall(again, approved) ? input : null
}

/** Policy writes the folder of the workspace as `.` or as an empty text. */
function isSameCall(one: HookedCall, other: HookedCall): boolean {
  const [a, b] = [one, other].map(({ tool, input: { cwd, ...input } }) =>
    canonicalJson({ tool, input: { ...input, cwd: cwd === undefined || cwd === '' ? '.' : cwd } }),
  )
  return a === b
}

/**
 * Whether a tool with a name of Claude Code's is that tool, and the event has every field that
 * changes its effect. Codex asks for a command outside of its sandbox by `PermissionRequest`, and
 * the event does not say so. Its event before each call of `Bash` is complete: Codex's own settings
 * decide about the sandbox.
 */
function hasEveryField({ hook_event_name }: HookEvent, agent: string): boolean {
  return agent === 'claude-code' || (agent === 'codex' && hook_event_name !== 'PermissionRequest')
}

function dropUndefined(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

/**
 * Names of tools in requests have only letters, digits, and . _ : -. A name that could be a
 * built-in tool's (`read_file`, and `read file` too) gets a prefix, so that policy never takes it
 * for that tool.
 */
function nameOf(tool: string, agent: string): string {
  const name = tool.replaceAll(/[^\w.:-]/g, '_')
  const isMarked = /^[A-Z]/.test(name) || tool.startsWith('mcp__')
  return isMarked && name === tool ? name : `${agent}:${name}`
}
