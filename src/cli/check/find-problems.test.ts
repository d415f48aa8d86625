import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { findProblems } from './find-problems.ts'
import { putFile } from '#test/harness/put-file.ts'

const config = `version: 1
teams: { platform: { members: [ada@example.com, grace@example.com] } }
queues: { platform: { team: platform } }
defaults: { queue: platform }
`
const script = 'turns: []\n'

let folder: string
beforeEach(() => {
  folder = newFolder('checked folder-')
  put('countersign.yaml', config)
  put('script.yaml', script)
  put('workers/scribe.md', '---\nmodel: script:script.yaml\n---\nWrite.\n')
})

const put = (at: string, text: string | Uint8Array): void => putFile(folder, at, text)

async function found(): Promise<string[]> {
  const problems = await findProblems(folder)
  return problems.map(
    ({ file, line, problem, remedy, severity }) =>
      `${severity} ${file}:${line ?? ''} ${problem}; ${remedy}`,
  )
}

function scribe(settings: string): void {
  put('workers/scribe.md', `---\nmodel: script:script.yaml\n${settings}\n---\nWrite.\n`)
}

test('a folder without mistakes has none', async () => {
  expect(await found()).toEqual([])
})

test('mistakes of every kind are reported together, in the order of files and lines', async () => {
  put('countersign.yaml', `${config}rigths: {}\n`)
  put('tools/broken.ts', 'export default 5 +\n')
  put('tools/shadow.ts', 'export default 5\n')
  put('workers/latin.md', Uint8Array.from([0x2d, 0xff, 0xfe]))
  put('workers/notes.txt', 'notes')
  symlinkSync('/etc/hostname', path.join(folder, 'workers/away.md'))
  scribe('zones: [{ name: a, root: ../a }]')
  expect(await found()).toEqual([
    'error countersign.yaml:5 unknown key "rigths"; did you mean "rights"?',
    expect.stringMatching(/^error tools\/broken\.ts:1 SyntaxError/),
    expect.stringMatching(/^error tools\/shadow\.ts:/),
    expect.stringMatching(/^error workers\/away\.md: .*leads out of the project folder/),
    expect.stringMatching(/^error workers\/latin\.md: .*it is not UTF-8 text/),
    'warning workers/notes.txt: is not read; a worker is a file workers/NAME.md',
    expect.stringMatching(/^error workers\/scribe\.md:3 "zones\[0\]\.root" is "\.\.\/a"/),
  ])
})

test('a tool that no file defines is an error beside those of other files', async () => {
  put('countersign.yaml', `${config}rigths: {}\n`)
  scribe('tools: { post: {} }')
  put(
    'workers/other.md',
    '---\nmodel: script:script.yaml\nqueue: 5\ntools: { post: {} }\n---\nX.\n',
  )
  expect(await found()).toEqual([
    expect.stringMatching(/^error countersign\.yaml:5 unknown key "rigths"/),
    expect.stringMatching(/^error workers\/other\.md:3 "queue"/),
    expect.stringMatching(/^error workers\/scribe\.md:3 the worker lists the tool "post", which/),
  ])
})

test('a limit in USD of a scripted worker is reported, with the advice to remove it', async () => {
  scribe('limits: { costUsd: 5 }')
  expect(await found()).toEqual([
    expect.stringMatching(/^error workers\/scribe\.md:3 "limits\.costUsd" .*; remove "costUsd"/),
  ])
})

test('a countersign.yaml that cannot be read is not called missing', async () => {
  put('countersign.yaml', Uint8Array.from([0xff, 0xfe]))
  expect(await found()).toEqual([expect.stringContaining('it is not UTF-8 text')])
})

test('a custom tool does not take the name of a built-in one', async () => {
  put(
    'tools/shadow.ts',
    `import { defineTool } from 'countersign'
import { z } from 'zod'
export default defineTool({ name: 'write_file', description: 'x', inputSchema: z.object({}), execute: async () => 1 })
`,
  )
  expect(await found()).toEqual([
    expect.stringContaining('write_file is the name of a built-in tool'),
  ])
})

test.each(['countersign.yml', 'Countersign.yaml', '.countersign.yaml'])(
  'a configuration file called %s is reported with the right name',
  async (name) => {
    rmSync(path.join(folder, 'countersign.yaml'))
    put(name, config)
    expect(await found()).toContain(
      `error countersign.yaml: the file does not exist; rename ${name} to countersign.yaml`,
    )
  },
)

test('a folder of a project is reported with the folder of the project', async () => {
  const inner = path.join(folder, 'docs')
  mkdirSync(inner)
  expect(await findProblems(inner)).toMatchObject([
    { remedy: `the project is in ${folder}: add --project '${folder}'` },
  ])
})

test('folders that look like those of a project and are not read are reported', async () => {
  rmSync(path.join(folder, 'workers'), { recursive: true })
  put('agents/scribe.md', 'x')
  expect(await found()).toEqual([
    'warning agents/: is not read; rename it to workers/, if that is its content',
  ])
})

test('a pattern that names no tool is reported once the tools are loaded', async () => {
  const when = '{ tool: [nothing_such, "zz_*", write_file, "*_file", mcp__x__y, "*"] }'
  put('countersign.yaml', `${config}routing: [{ when: ${when}, risk: high }]\n`)
  expect(await found()).toEqual(
    ['nothing_such', 'zz_*'].map(
      (name) =>
        `warning countersign.yaml:5 no tool is called "${name}"; correct the name, or define the tool in a file of tools/`,
    ),
  )
})

test('a zone without a usable folder is reported; one whose folder a write would make is not', async () => {
  symlinkSync(tmpdir(), path.join(folder, 'link'))
  scribe(`zones:
  - { name: gone, root: gone }
  - { name: new, root: new/deep, mode: rw }
  - { name: link, root: link/x, mode: rw }
  - { name: file, root: script.yaml }`)
  const remedy = 'correct its root, or make the folder'
  expect(await found()).toEqual([
    `warning workers/scribe.md:4 zone "gone" reaches nothing: the folder gone does not exist; ${remedy}`,
    `warning workers/scribe.md:6 zone "link" reaches nothing: link is a link, and links are not followed; ${remedy}`,
    `warning workers/scribe.md:7 zone "file" reaches nothing: script.yaml is not a folder; ${remedy}`,
  ])
})

test('an MCP server whose program or script does not exist is reported; one on another host is not', async () => {
  put('servers/main.mjs', '')
  put('servers/run', '')
  scribe(`mcpServers:
  named: { command: no-such-program-here }
  path: { command: ./servers/gone }
  script: { command: node, args: [--no-warnings, servers/gone.mjs] }
  good: { command: node, args: [servers/main.mjs] }
  own: { command: ./servers/run, args: [absent.json] }
  web: { url: "https://mcp.example.com" }`)
  put(
    'countersign.yaml',
    `${config}mcpServers: { served: { command: no-such-program, queue: platform } }\n`,
  )
  expect(await found()).toEqual([
    'warning countersign.yaml:5 the MCP server "served" is started with the program no-such-program, which does not exist in the folders of PATH; install it, or correct "command"',
    'warning workers/scribe.md:4 the MCP server "named" is started with the program no-such-program-here, which does not exist in the folders of PATH; install it, or correct "command"',
    `warning workers/scribe.md:5 the MCP server "path" is started with the program ./servers/gone, which does not exist in ${folder}; install it, or correct "command"`,
    `warning workers/scribe.md:6 the MCP server "script" is started with the script servers/gone.mjs, which does not exist in ${folder}; create the file, or correct "args"`,
  ])
  put('countersign.yaml', `${config}workspaces: { default: { root: /nowhere, taskQueue: far } }\n`)
  expect((await found()).join()).not.toContain('does not exist')
})

test('an MCP server that starts in its first zone, with a preloaded module or a PATH of variables is not reported', async () => {
  put('servers/main.mjs', '')
  scribe(`zones: [{ name: servers, root: servers, mode: ro }]
mcpServers:
  zone: { command: node, args: [main.mjs] }
  preload: { command: node, args: [-r, dotenv/config.js, servers/main.mjs] }
  path: { command: no-such-program, env: { PATH: "./bin:\${PATH}" } }`)
  expect((await found()).join()).not.toContain('does not exist')
})

// Rules: product.md 35
test('worktrees need the top folder of a repository, and the branch', async () => {
  scribe('zones: [{ name: all, root: . }]')
  const at = (keys: string) =>
    put('countersign.yaml', `${config}workspaces: { default: { ${keys} } }\n`)
  at('root: ., isolation: worktree')
  expect(await found()).toEqual([expect.stringContaining('not the top folder of a Git repository')])
  at('root: ., base: main')
  expect(await found()).toEqual([expect.stringContaining('base" is about Git worktrees')])
  at('root: ., isolation: worktree, base: "--upload-pack=x"')
  expect(await found()).toEqual([expect.stringContaining('is not the name of a branch')])
  spawnSync('git', ['init', '-q', '-b', 'main', folder])
  at('root: ., isolation: worktree, base: main')
  expect(await found()).toEqual([expect.stringContaining('has no branch main')])
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  spawnSync('git', ['-C', folder, ...identity, 'commit', '-q', '--allow-empty', '-m', 'first'])
  expect(await found()).toEqual([])
  at('root: ., isolation: worktree, copy: [node_modules, gone/vendor]')
  mkdirSync(path.join(folder, 'node_modules'))
  expect(await found()).toEqual([expect.stringContaining('has no gone/vendor')])
  for (const name of ['.', '..', '/etc', 'a/../../b', '.git', 'vendor/.GIT/x']) {
    at(`root: ., isolation: worktree, copy: ["${name}"]`)
    expect((await found()).join(), name).toContain('which no worktree can begin with')
  }
  at('root: ., copy: node_modules')
  expect(await found()).toEqual([expect.stringContaining('remove "copy"')])
  at('root: ., isolation: worktree')
  scribe('zones: [{ name: all, root: . }]\nmcpServers: { files: { command: node } }')
  expect((await found()).join()).not.toContain('worktree')
})

// Rules: product.md 35, 36
test('merge_branch and git_push are reported where runs have no branch, and not where they have one', async () => {
  const tools = 'zones: [{ name: all, root: . }]\ntools: { merge_branch: {}, git_push: {} }'
  scribe(tools)
  put('countersign.yaml', config)
  const problems = (await found()).join()
  for (const name of ['merge_branch', 'git_push']) {
    expect(problems).toContain(`${name} can do nothing in the workspace "default"`)
  }
  put('countersign.yaml', `${config}workspaces: { default: { root: ., isolation: worktree } }\n`)
  expect((await found()).join()).not.toContain('can do nothing')
})

// Rules: product.md 35
test('merge_branch of a worker without a zone at the root is reported, because every call of it fails', async () => {
  put('countersign.yaml', `${config}workspaces: { default: { root: ., isolation: worktree } }\n`)
  scribe('zones: [{ name: notes, root: ./notes }]\ntools: { merge_branch: {}, git_push: {} }')
  const warned = (await found()).filter((line) => line.includes('can do nothing'))
  expect(warned).toEqual([expect.stringContaining('merge_branch can do nothing')])
  expect(warned[0]).toContain('no zone of scribe has the root "."')
})

test('a workspace without a folder is reported; one on another host is not looked for', async () => {
  scribe('zones: [{ name: all, root: . }]')
  put('countersign.yaml', `${config}workspaces: { default: { root: ./nowhere } }\n`)
  const sentence =
    'error countersign.yaml:5 the root of workspace "default", ./nowhere, is not a folder'
  expect(await found()).toEqual([expect.stringContaining(sentence)])
  put('countersign.yaml', `${config}workspaces: { default: { root: /nowhere, taskQueue: far } }\n`)
  expect(await found()).toEqual([])
})
