import { expect, test } from 'vitest'
import { callOfEvent, canBeChanged, changedInputOf } from './call-of-event.ts'
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
  ['mcp__wiki__search', { q: 'x' }, 'mcp__wiki__search', { q: 'x' }],
  ['WebFetch', { url: 'https://x' }, 'WebFetch', { url: 'https://x' }],
])('%s is judged as the built-in tool with the same effect', (name, agentTool, tool, input) => {
  expect(callOfEvent(event(name, agentTool), root)).toEqual({ tool, input })
})

const written = { path: 'n/b.md', content: 'y' }
type Changed = [string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]
test.each<Changed>([
  [
    'Bash',
    { command: 'git push', description: 'Push' },
    { command: 'git push --dry-run', cwd: '.', timeoutSeconds: 120 },
    { command: 'git push --dry-run', description: 'Push', timeout: 120_000 },
  ],
  [
    'Write',
    { file_path: `${root}/n/a.md`, content: 'x' },
    written,
    { file_path: `${root}/n/b.md`, content: 'y' },
  ],
  [
    'Edit',
    { file_path: 'a.md', old_string: 'x', new_string: 'y', replace_all: false },
    { path: 'a.md', edits: [{ find: 'x', replace: 'z' }] },
    { file_path: `${root}/a.md`, old_string: 'x', new_string: 'z', replace_all: false },
  ],
  ['WebFetch', { url: 'https://x', prompt: 'p' }, { url: 'https://y' }, { url: 'https://y' }],
])(
  'a %s that a person changed is made with the arguments of the agent’s own tool',
  (name, ...of) => {
    const [own, input, changed] = of
    const one = event(name, own)
    const call = callOfEvent(one, root)
    expect(canBeChanged(one, call)).toBe(true)
    expect(changedInputOf(one, { tool: call.tool, input }, root)).toEqual(changed)
  },
)

const bash = { command: 'ls' }
const edit = { file_path: 'a.md', old_string: 'x', new_string: 'y' }
test.each([
  ['in another folder', 'Bash', bash, { command: 'ls', cwd: 'docs' }],
  ['with a field that the tool does not have', 'Bash', bash, { command: 'ls', network: 'allow' }],
  ['of two places', 'Edit', edit, { path: 'a.md', edits: [1, 2].map(() => ({ find: 'x' })) }],
  ['of no place', 'Edit', edit, { path: 'a.md', edits: [] }],
])('a changed call %s is made with no arguments', (_, name, own, input) => {
  const one = event(name, own)
  const { tool } = callOfEvent(one, root)
  expect(changedInputOf(one, { tool, input }, root)).toBeNull()
})

test('nobody may change a call that only reads, or turn a call into one of another tool', () => {
  const read = event('Read', { file_path: 'a.md' })
  expect(canBeChanged(read, callOfEvent(read, root))).toBe(false)
  expect(changedInputOf(read, { tool: 'read_file', input: { path: 'b.md' } }, root)).toBeNull()
  const fetched = event('WebFetch', { url: 'https://x' })
  expect(changedInputOf(fetched, { tool: 'shell', input: bash }, root)).toBeNull()
})

test('paths are relative to the workspace, wherever the session is; those outside of it keep their ..', () => {
  const within = callOfEvent(event('Read', { file_path: 'b.md' }, `${root}/docs`), root)
  expect(within.input).toEqual({ path: 'docs/b.md' })
  const bash = callOfEvent(event('Bash', { command: 'ls' }, `${root}/docs`), root)
  expect(bash.input).toEqual({ command: 'ls', cwd: 'docs' })
  const outside = callOfEvent(event('Read', { file_path: '/etc/passwd' }), root)
  expect(outside.input).toEqual({ path: '../../etc/passwd' })
})

// Rules: security.md 11, 32
test.each(['~/x', '~', ' a.md', 'a.md\n', ' ~/x', '\u00a0/etc/passwd'])(
  'a path that Claude Code takes for another one is judged as it is: %j',
  (at) => {
    for (const [tool, input] of [
      ['Read', { file_path: at }],
      ['Write', { file_path: at, content: 'x' }],
      ['LS', { path: at }],
      ['Glob', { path: at, pattern: '*' }],
    ] as const) {
      expect(callOfEvent(event(tool, input), root)).toEqual({ tool, input })
    }
  },
)

// Rules: security.md 11, 32
test.each([
  ' /etc/**',
  '/etc/**',
  `${root}/private/*`,
  '~/x*',
  '../**',
  'a/../../*',
  '{../a,b}/*',
  '{.,x}{.,y}/private/*',
  '.{.,x}/*',
  '{.,a/b}./*',
  '.{,x}./*',
  '\\.\\./*',
  'C:/x',
])('a pattern that leads out of the folder is no list of its files: %s', (pattern) => {
  const input = { path: 'docs', pattern }
  expect(callOfEvent(event('Glob', input), root)).toEqual({ tool: 'Glob', input })
})

test.each([
  'app/[...slug]/page.tsx',
  '**/[[...slug]]/*',
  '**/*.{ts,tsx}',
  '{.eslintrc,.prettierrc}*',
  '.{github,vscode}/**',
  'a..b/*',
])('a pattern that stays in its folder lists its files: %s', (pattern) => {
  expect(callOfEvent(event('Glob', { path: 'docs', pattern }), root).tool).toBe('list_files')
})

test.each([
  ['an edit of every place at once', 'Edit', { old_string: 'x', new_string: 'y' }, 'replace_all'],
  ['a command outside of the agent’s sandbox', 'Bash', {}, 'dangerouslyDisableSandbox'],
  ['a command in the background', 'Bash', {}, 'run_in_background'],
  ['a field of a later release', 'Read', { file_path: 'a' }, 'follow'],
])(
  '%s is no call of a built-in tool, and keeps its own name and arguments',
  (_, tool, more, field) => {
    for (const value of [true, 'true', 1, null, 'false', {}]) {
      const input = { command: 'git log', ...more, [field]: value }
      expect(callOfEvent(event(tool, input), root)).toEqual({ tool, input })
    }
  },
)

test('a call with a field of a later release that is false keeps its own name, since the field might switch something off', () => {
  const input = { command: 'git log', confined: false }
  expect(callOfEvent(event('Bash', input), root)).toEqual({ tool: 'Bash', input })
})

test.each([
  ['Bash', { command: 'ls', run_in_background: false, dangerouslyDisableSandbox: false }, 'shell'],
  ['Bash', { command: 'ls', description: 'List it' }, 'shell'],
  ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: false }, 'edit_file'],
])(
  '%s with fields that do not change its effect is judged as the built-in tool',
  (tool, input, ours) => {
    expect(callOfEvent(event(tool, input), root).tool).toBe(ours)
  },
)

// Rules: security.md 8
test('a Grep keeps its own name unless it is known to read no environment or key file', () => {
  const input = { pattern: 'x', path: 'src', output_mode: 'content', '-i': true, head_limit: 5 }
  expect(callOfEvent(event('Grep', input), root)).toEqual({ tool: 'Grep', input })
  expect(callOfEvent(event('Grep', input), root, 'claude-code', true)).toEqual({
    tool: 'search_files',
    input: { path: 'src', pattern: 'x' },
  })
  expect(callOfEvent(event('Grep', input), root, 'opencode', true).tool).toBe('Grep')
})

test('a command for which Codex does not report whether it leaves its sandbox keeps its own name', () => {
  const bash = event('Bash', { command: 'git log' })
  expect(callOfEvent(bash, root, 'codex').tool).toBe('shell')
  const asks = { ...bash, hook_event_name: 'PermissionRequest' } as const
  expect(callOfEvent(asks, root, 'codex')).toEqual({ tool: 'Bash', input: { command: 'git log' } })
  expect(callOfEvent(asks, root).tool).toBe('shell')
})

test.each(['cursor', 'opencode', 'gemini-cli', 'copilot-cli', 'acp'])(
  'a tool of %s with a name of Claude Code’s is a tool of its own',
  (agent) => {
    const read = event('Read', { file_path: 'a' })
    expect(callOfEvent(read, root, agent)).toEqual({ tool: 'Read', input: { file_path: 'a' } })
  },
)

test('a tool with the name of a property of every object is only a name', () => {
  expect(callOfEvent(event('constructor', {}), root).tool).toBe('claude-code:constructor')
  expect(callOfEvent(event('my tool/x', {}), root).tool).toBe('claude-code:my_tool_x')
})
