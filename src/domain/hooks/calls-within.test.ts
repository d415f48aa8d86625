import { expect, test } from 'vitest'
import { callsWithin, maxCallsWithin } from './calls-within.ts'

const folder = '/srv/shop'
const write = (path: string) => ({ tool: 'write_file', input: { path, content: '' } })
const read = (path: string) => ({ tool: 'read_file', input: { path } })
const list = (path: string) => ({ tool: 'list_files', input: { path } })
const search = (path: string) => ({ tool: 'search_files', input: { path, pattern: '.' } })
const shell = (command: string, cwd?: string) => ({
  tool: 'shell',
  input: cwd === undefined ? { command } : { command, cwd },
})
const patch = [
  '*** Begin Patch',
  '*** Add File: a.md',
  '+x',
  '*** Update File: src/b.ts',
  '*** Move to: src/c.ts',
  '*** Delete File: d.md',
  '*** End Patch',
].join('\n')
const patched = [
  write('a.md'),
  write('src/b.ts'),
  write('src/c.ts'),
  { tool: 'delete_file', input: { path: 'd.md' } },
]

test.each([
  ['Edit', { file_path: `${folder}/a.md`, replace_all: true }, [write('a.md')]],
  ['MultiEdit', { file_path: `${folder}/n/a.md`, edits: [] }, [write('n/a.md')]],
  ['NotebookEdit', { notebook_path: `${folder}/a.ipynb` }, [write('a.ipynb')]],
  ['Write', { file_path: `${folder}/a.md`, content: 1 }, [write('a.md')]],
  ['Bash', { command: 'ls', dangerouslyDisableSandbox: true }, [shell('ls')]],
  ['codex:apply_patch', { command: patch }, patched],
  ['copilot-cli:apply_patch', { input: patch }, patched],
  ['opencode:apply_patch', { patchText: patch }, patched],
  ['codex:apply_patch', { command: ['apply_patch', patch] }, patched],
  ['gemini-cli:replace', { file_path: `${folder}/a.md` }, [write('a.md')]],
  ['gemini-cli:write_file', { file_path: 'a.md' }, [write('a.md')]],
  ['gemini-cli:run_shell_command', { command: 'ls' }, [shell('ls')]],
  ['copilot-cli:edit', { path: `${folder}/a.md` }, [write('a.md')]],
  ['copilot-cli:create', { path: `${folder}/a.md` }, [write('a.md')]],
  ['copilot-cli:bash', { command: 'ls' }, [shell('ls')]],
  ['opencode:edit', { filePath: `${folder}/a.md` }, [write('a.md')]],
  ['opencode:write', { filePath: `${folder}/x/../a.md` }, [write('a.md')]],
  ['opencode:bash', { command: 'ls' }, [shell('ls')]],
  ['cursor:search_replace', { file_path: `${folder}/a.md` }, [write('a.md')]],
  ['Delete', { path: 'a.md' }, [{ tool: 'delete_file', input: { path: 'a.md' } }]],
  ['Monitor', { command: 'ls', persistent: true }, [shell('ls')]],
  ['PowerShell', { command: 'ls' }, [shell('ls')]],
  ['copilot-cli:powershell', { command: 'ls' }, [shell('ls')]],
  ['gemini-cli:run_shell_command', { command: 'ls', dir_path: 'a' }, [shell('ls', 'a')]],
  ['opencode:bash', { command: 'ls', workdir: `${folder}/a` }, [shell('ls', 'a')]],
  ['Read', { file_path: `${folder}/a.md`, follow: true }, [read('a.md')]],
  ['Read', { file_path: ' a.md ' }, [read('a.md')]],
  ['gemini-cli:read_file', { file_path: 'a.md' }, [read('a.md')]],
  ['copilot-cli:view', { path: `${folder}/a.md` }, [read('a.md')]],
  ['opencode:read', { filePath: `${folder}/a.md` }, [read('a.md')]],
  ['cursor:read_file', { target_file: 'a.md' }, [read('a.md')]],
  ['Glob', { pattern: `${folder}/a/b*/**`, path: 'c' }, [list('c'), list('a')]],
  ['Glob', { pattern: '/etc/**', path: 'c' }, [list('c')]],
  ['Glob', { pattern: '../secret/**', path: 'c/d' }, [list('c/d'), list('c/secret')]],
  ['Glob', { pattern: ' a/../secret/*', path: 'c' }, [list('c'), list('secret'), list('c/secret')]],
  ['Glob', { pattern: '../../../etc/*', path: 'c' }, [list('c')]],
  ['Grep', { pattern: '/a/b', path: 'c' }, [search('c')]],
  ['LS', { path: 'a' }, [list('a')]],
  // The home may be the first folder above that of the session, or the second one.
  ['Read', { file_path: '~/shop/a.md' }, [read('a.md')]],
  ['Write', { file_path: '~/a.md' }, []],
  ['opencode:write', { filePath: '~/a.md' }, [write('~/a.md')]],
  // Names and members of other releases.
  ['gemini-cli:read_file', { absolute_path: `${folder}/a.md` }, [read('a.md')]],
  ['gemini-cli:search_file_content', { pattern: 'x', path: 'a' }, [search('a')]],
  [
    'gemini-cli:read_many_files',
    { paths: ['a/*', 'b/c.md'] },
    [search('a/*'), search('a'), search('b/c.md')],
  ],
  ['codex:read_file', { file_path: `${folder}/a.md` }, [read('a.md')]],
  ['codex:list_dir', { dir_path: `${folder}/a` }, [list('a')]],
  ['codex:grep_files', { pattern: 'x', path: `${folder}/a` }, [search('a')]],
  [
    'cursor:codebase_search',
    { query: 'x', target_directories: ['a/', 'b'] },
    [search('a'), search('b')],
  ],
  ['cursor:codebase_search', { query: 'x' }, [search('')]],
  ['cursor:file_search', { query: 'x' }, [list('')]],
  ['Grep', { pattern: 'x' }, [search('')]],
  ['Grep', { pattern: 'x', path: `${folder}/a` }, [search('a')]],
  ['gemini-cli:grep_search', { pattern: 'x', dir_path: 'a' }, [search('a')]],
  ['gemini-cli:list_directory', { dir_path: folder }, [list('')]],
  ['gemini-cli:read_many_files', { include: ['a/**'] }, [search('a/**'), search('a')]],
  ['cursor:codebase_search', { target_directories: ['a/(b)'] }, [search('a/(b)'), search('a')]],
  [
    'cursor:glob_file_search',
    { glob_pattern: '../secret/**', target_directory: 'c' },
    [list('c'), list('secret')],
  ],
  ['Glob', { pattern: 'secret/**' }, [list(''), list('secret')]],
  ['Glob', { pattern: 'secret/**', path: 'c' }, [list('c'), list('c/secret')]],
  ['opencode:grep', { pattern: 'x', path: `${folder}/a` }, [search('a')]],
])('%s of %o amounts to calls of ours', (tool, input, calls) => {
  expect(callsWithin({ tool, input }, folder)).toEqual(calls)
})

test.each([
  ['lines that end with CR LF', '*** Update File: .env\r'],
  ['no blank after the colon', '*** Add File:.env'],
  ['two blanks after the colon', '*** Update File:  .env'],
  ['blanks before the mark', '\u0085 *** Update File: .env\u0085'],
  ['a move without a blank', '*** Move to:.env'],
  ['a line separator in its name', '*** Update File: a\u2028/../.env'],
])('a patch with %s writes the file that the agent writes', (_, line) => {
  const patchText = `*** Begin Patch\n${line}\n@@\n+x\n*** End Patch`
  expect(callsWithin({ tool: 'opencode:apply_patch', input: { patchText } }, folder)).toEqual([
    write('.env'),
  ])
})

test.each([
  ['Read', { file_path: '/etc/passwd' }],
  ['Grep', { path: '/etc' }],
  ['mcp__files__write', { path: 'a.md', command: 'ls' }],
  ['read_files', { path: 'a.md' }],
  ['codex:unheard_of', { path: 'a.md' }],
  ['constructor', { file_path: 'a.md' }],
  ['Edit', { file_path: '/etc/passwd' }],
  ['Edit', { file_path: folder }],
  ['Edit', { file_path: 7 }],
  ['codex:apply_patch', { command: 'no patch' }],
  ['Bash', { command: ['ls'] }],
])('%s of %o has the effect of no built-in call', (tool, input) => {
  expect(callsWithin({ tool, input }, folder)).toEqual([])
})

test.each(['/home/ada', '/Users/ada', '/root'])(
  'in the home %s, a path with `~` is a file of that folder',
  (home) => {
    const input = { file_path: '~/secret/key' }
    expect(callsWithin({ tool: 'Read', input }, home)).toEqual([read('secret/key')])
  },
)

test('more paths than may be judged are refused, whatever they name', () => {
  const paths = Array.from({ length: maxCallsWithin + 1 }, () => '/etc/passwd')
  expect(callsWithin({ tool: 'mcp__x__y', input: { paths } }, folder)).toEqual([])
  for (const tool of ['Read', 'Grep', 'gemini-cli:read_many_files']) {
    expect(callsWithin({ tool, input: { paths } }, folder).length).toBeGreaterThan(maxCallsWithin)
  }
})

test('a path without a known folder is left out, and a command is not', () => {
  for (const none of [undefined, '', 'shop', 'C:\\shop']) {
    expect(callsWithin({ tool: 'Edit', input: { file_path: '/a.md' } }, none)).toEqual([])
    expect(callsWithin({ tool: 'Bash', input: { command: 'ls' } }, none)).toEqual([shell('ls')])
  }
})
