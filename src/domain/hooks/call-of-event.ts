import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { HookEvent } from './hook-event.ts'

/** A call as policy and approvers know it. */
export interface HookedCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

type Input = Readonly<Record<string, unknown>>

/**
 * Claude Code's tools that do what a built-in tool of ours does, and how their input reads as ours.
 */
const translations: Readonly<Record<string, (input: Input, place: Place) => HookedCall | null>> = {
  // Outside of the agent's own sandbox it is no command that ours would run: it is asked about as
  // it is.
  Bash: ({ command, dangerouslyDisableSandbox = false, timeout }, place) =>
    dangerouslyDisableSandbox !== false
      ? null
      : {
          tool: 'shell',
          input: {
            command,
            ...(place.cwd === '' ? {} : { cwd: place.cwd }),
            ...(typeof timeout === 'number' ? { timeoutSeconds: Math.ceil(timeout / 1000) } : {}),
          },
        },
  Read: ({ file_path }, place) => ({ tool: 'read_file', input: { path: place.path(file_path) } }),
  Write: ({ content, file_path }, place) => ({
    tool: 'write_file',
    input: { path: place.path(file_path), content },
  }),
  // What replaces every place is no edit that ours would make: it is asked about as it is.
  Edit: ({ file_path, new_string, old_string, replace_all }, place) =>
    replace_all === true
      ? null
      : {
          tool: 'edit_file',
          input: {
            path: place.path(file_path),
            edits: [{ find: old_string, replace: new_string }],
          },
        },
  Glob: ({ path, pattern }, place) => ({
    tool: 'list_files',
    input: { path: path === undefined ? place.cwd : place.path(path), glob: pattern },
  }),
  LS: ({ path }, place) => ({
    tool: 'list_files',
    input: { path: path === undefined ? place.cwd : place.path(path) },
  }),
  Grep: ({ path, pattern }, place) => ({
    tool: 'search_files',
    input: { path: path === undefined ? place.cwd : place.path(path), pattern },
  }),
}

/** Where paths lie. */
interface Place {
  /** the session's folder, relative to the workspace root */
  readonly cwd: string
  path(value: unknown): unknown
}

/**
 * A tool call of Claude Code as the policy's own tools would make it, so that zones and shell rules
 * judge it; every other tool, and every other spelling, goes by its own name and is asked about.
 * Paths become relative to the workspace root; what lies outside of it keeps its `..`, which policy
 * refuses. Where no root is known, no path means anything, and every tool goes by its own name.
 */
export function callOfEvent(
  event: HookEvent,
  root: string | null,
  agent = 'claude-code',
): HookedCall {
  const { tool_input: input, tool_name: tool } = event
  if (root === null) return { tool: nameOf(tool, agent), input }
  const folder = event.cwd ?? root
  const below = (path: string): string => relative(root, resolve(folder, path)).split(sep).join('/')
  const place: Place = {
    cwd: below('.'),
    path: (value) => (typeof value === 'string' ? below(value) : value),
  }
  const translate = Object.hasOwn(translations, tool) ? translations[tool] : undefined
  const call = translate?.(input, place) ?? null
  if (call === null) return { tool: nameOf(tool, agent), input }
  // On another drive there is no relative path: it stays absolute, and is refused.
  const outside = Object.values(call.input).some((v) => typeof v === 'string' && isAbsolute(v))
  return outside ? call : { tool: call.tool, input: dropUndefined(call.input) }
}

/**
 * The shell call in a `Bash` call that keeps its own name, because it leaves the agent's sandbox:
 * what the worker's shell may not run, it may not run there either. `null` for every other call.
 */
export function shellCallWithin({ tool, input }: HookedCall): {
  readonly tool: 'shell'
  readonly input: { readonly command: string }
} | null {
  const { command } = input
  return tool === 'Bash' && typeof command === 'string'
    ? { tool: 'shell', input: { command } }
    : null
}

function dropUndefined(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

/**
 * Names of tools in requests have letters, digits, and . _ : - only. A name that could be one of
 * Countersign's own tools (`read_file`, and `read file` too) is marked, so that policy never takes
 * it for that tool.
 */
function nameOf(tool: string, agent: string): string {
  const name = tool.replaceAll(/[^\w.:-]/g, '_')
  const isMarked = /^[A-Z]/.test(name) || tool.startsWith('mcp__')
  return isMarked && name === tool ? name : `${agent}:${name}`
}
