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

test.each([
  ['an edit of every place at once', 'Edit', { old_string: 'x', new_string: 'y' }, 'replace_all'],
  ['a command outside of the agent’s sandbox', 'Bash', {}, 'dangerouslyDisableSandbox'],
  ['a command in the background', 'Bash', {}, 'run_in_background'],
  ['a field of a later release', 'Read', { file_path: 'a' }, 'follow'],
])('%s is none of ours, and keeps its own name and its word', (_, tool, more, field) => {
  for (const value of [true, 'true', 1, null, 'false', {}]) {
    const given = { command: 'git log', ...more, [field]: value }
    expect(callOfEvent(event(tool, given), root)).toEqual({ tool, input: given })
  }
})

test.each([
  ['Bash', { command: 'ls', run_in_background: false, dangerouslyDisableSandbox: false }, 'shell'],
  ['Bash', { command: 'ls', description: 'List it' }, 'shell'],
  ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: false }, 'edit_file'],
  ['Grep', { pattern: 'x', output_mode: 'content', '-i': true, head_limit: 5 }, 'search_files'],
])('%s with what changes nothing stays the tool that does the same', (tool, given, ours) => {
  expect(callOfEvent(event(tool, given), root).tool).toBe(ours)
})

test('a command that Codex wants to run outside of its sandbox, which it does not tell, is none of ours', () => {
  const bash = event('Bash', { command: 'git log' })
  expect(callOfEvent(bash, root, 'codex').tool).toBe('shell')
  const asks = { ...bash, hook_event_name: 'PermissionRequest' } as const
  expect(callOfEvent(asks, root, 'codex')).toEqual({ tool: 'Bash', input: { command: 'git log' } })
  expect(callOfEvent(asks, root).tool).toBe('shell')
})

test.each(['cursor', 'opencode', 'gemini-cli', 'copilot-cli', 'acp'])(
  'a tool of %s that is spelled as one of Claude Code’s is its own',
  (agent) => {
    const read = event('Read', { file_path: 'a' })
    expect(callOfEvent(read, root, agent)).toEqual({ tool: 'Read', input: { file_path: 'a' } })
  },
)

test('a tool named like a member of every object is only a name', () => {
  expect(callOfEvent(event('constructor', {}), root).tool).toBe('claude-code:constructor')
  expect(callOfEvent(event('my tool/x', {}), root).tool).toBe('claude-code:my_tool_x')
})
