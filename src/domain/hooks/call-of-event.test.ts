import { expect, test } from 'vitest'
import { callOfEvent } from './call-of-event.ts'
import type { HookEvent } from './hook-event.ts'

const root = '/srv/shop'
const event = (tool_name: string, tool_input: Record<string, unknown>, cwd = root): HookEvent => ({
  hook_event_name: 'PreToolUse',
  session_id: 's',
  tool_name,
  tool_input,
  cwd,
})

test.each([
  [
    'Bash',
    { command: 'git log', timeout: 1500 },
    'shell',
    { command: 'git log', timeoutSeconds: 2 },
  ],
  ['Read', { file_path: `${root}/a.md`, limit: 5 }, 'read_file', { path: 'a.md' }],
  [
    'Write',
    { file_path: `${root}/n/a.md`, content: 'x' },
    'write_file',
    { path: 'n/a.md', content: 'x' },
  ],
  [
    'Edit',
    { file_path: `${root}/a.md`, old_string: 'x', new_string: 'y' },
    'edit_file',
    { path: 'a.md', edits: [{ find: 'x', replace: 'y' }] },
  ],
  ['Glob', { pattern: '**/*.ts' }, 'list_files', { path: '', glob: '**/*.ts' }],
  ['LS', { path: `${root}/src` }, 'list_files', { path: 'src' }],
  ['Grep', { pattern: 'x', path: 'src' }, 'search_files', { path: 'src', pattern: 'x' }],
  ['mcp__wiki__search', { q: 'x' }, 'mcp__wiki__search', { q: 'x' }],
  ['WebFetch', { url: 'https://x' }, 'WebFetch', { url: 'https://x' }],
])('%s is judged as the tool that does the same', (name, given, tool, input) => {
  expect(callOfEvent(event(name, given), root)).toEqual({ tool, input })
})

test('paths are those of the workspace, from wherever the session is; outside they say so', () => {
  const within = callOfEvent(event('Read', { file_path: 'b.md' }, `${root}/docs`), root)
  expect(within.input).toEqual({ path: 'docs/b.md' })
  const bash = callOfEvent(event('Bash', { command: 'ls' }, `${root}/docs`), root)
  expect(bash.input).toEqual({ command: 'ls', cwd: 'docs' })
  const outside = callOfEvent(event('Read', { file_path: '/etc/passwd' }), root)
  expect(outside.input).toEqual({ path: '../../etc/passwd' })
})

test('an edit of every place at once is none of ours, and keeps its own name', () => {
  const given = { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true }
  expect(callOfEvent(event('Edit', given), root)).toEqual({ tool: 'Edit', input: given })
})

test('a command outside of the sandbox of the agent is none of ours, and keeps its own name and its word', () => {
  for (const dangerouslyDisableSandbox of [true, 'true', 1, null]) {
    const given = { command: 'git log', dangerouslyDisableSandbox }
    expect(callOfEvent(event('Bash', given), root)).toEqual({ tool: 'Bash', input: given })
  }
  const inside = { command: 'git log', dangerouslyDisableSandbox: false }
  expect(callOfEvent(event('Bash', inside), root).tool).toBe('shell')
})

test('a tool named like a member of every object is only a name', () => {
  expect(callOfEvent(event('constructor', {}), root).tool).toBe('claude-code:constructor')
  expect(callOfEvent(event('my tool/x', {}), root).tool).toBe('claude-code:my_tool_x')
})
