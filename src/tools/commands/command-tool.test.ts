import { expect, test } from 'vitest'
import type { JsonObject } from '#domain/json/json.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { parsed } from '../workspace.fixture.ts'
import { commandDesk } from './commands.fixture.ts'

const without = 'in a sandbox without a network'
const works: HostSandbox = {
  works: true,
  launch: [],
  bounds: { memory: false, processes: false },
  bwrap: 'bwrap',
  folders: [],
}
const broken: HostSandbox = { works: false, problem: 'there is none', remedy: 'install one' }

test('the model is told where its commands run: without a network, with one, or without a sandbox', async () => {
  using usual = await commandDesk({}, { host: works })
  using allowed = await commandDesk({}, { host: works, sandbox: '{ network: allow }' })
  using listed = await commandDesk({}, { host: works, sandbox: '{ network: [pypi.org] }' })
  using bare = await commandDesk({}, { host: broken })
  for (const name of ['exec', 'shell'] as const) {
    expect(usual.tools[name].description).toContain(without)
    expect(allowed.tools[name].description).toContain('in a sandbox with a network')
    expect(allowed.tools[name].description).not.toContain(without)
    expect(listed.tools[name].description).toContain('in a sandbox that reaches only pypi.org')
    expect(bare.tools[name].description).toContain('on a host where no sandbox works')
    expect(bare.tools[name].description).not.toContain(without)
  }
})

test('a command with a network is another tool than one without: an approval of one does not count for the other', async () => {
  using usual = await commandDesk({}, { host: works })
  using allowed = await commandDesk({}, { host: works, sandbox: '{ network: allow }' })
  for (const name of ['exec', 'shell'] as const) {
    expect(allowed.tools[name].definitionHash).not.toBe(usual.tools[name].definitionHash)
  }
})

// Rules: workers-and-policy.md, paths
test('a command runs in the workspace root when a zone contains it, else in the first zone', async () => {
  using usual = await commandDesk({}, { host: works })
  using below = await commandDesk(
    { 'docs/a.md': 'a\n' },
    {
      host: works,
      zones: '\n  - { name: docs, root: docs, mode: ro }\n  - { name: work, root: work, mode: rw }',
    },
  )
  const input: Record<'exec' | 'shell', JsonObject> = {
    exec: { file: 'ls', args: [] },
    shell: { command: 'ls' },
  }
  for (const name of ['exec', 'shell'] as const) {
    const folderOf = async ({ tools }: typeof usual, more = {}) =>
      tools[name].parse({ ...input[name], ...more })
    expect(await folderOf(usual)).toMatchObject({ ok: true, input: { cwd: '' } })
    expect(await folderOf(below)).toMatchObject({ ok: true, input: { cwd: 'docs' } })
    expect(await folderOf(below, { cwd: 'work' })).toMatchObject({ input: { cwd: 'work' } })
  }
})

test('a script without a command is an error of the tool, and nobody is asked about it', async () => {
  using desk = await commandDesk({}, { host: works })
  const parse = (command: string) => desk.tools.shell.parse({ command })
  for (const blank of ['', ' ', '\n\t\n', '# only a comment', '  # one\n\n# two\n'])
    expect(parse(blank), JSON.stringify(blank)).toMatchObject({ ok: false })
  for (const script of ['ls', '# first\nls', ':'])
    expect(parse(script), script).toMatchObject({ ok: true })
})

// Rules: security.md 24, 28
test('a script with too many commands, folders or words to find the files that it names is refused', async () => {
  using desk = await commandDesk({
    'work/run.sh': 'echo shown\n',
    'work/sub/run.sh': 'echo shown\n',
    ...Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`work/f${n}/a`, 'a\n'])),
  })
  const { signal } = new AbortController()
  const present = async (command: string) => {
    const call = await parsed(desk.tools.shell, { command, cwd: 'work' })
    return desk.tools.shell.present(call, { workspace: desk.workspace, signal })
  }
  const filesOf = async (command: string) =>
    (await present(command)).facts.bases.map((base) => base.path)
  expect(await filesOf(`${':\n'.repeat(1000)}sh run.sh`)).toEqual(['work/run.sh'])
  const enter = (count: number, folder: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => `cd ${folder(n)}\n`).join('')
  const folders = (count: number) => enter(count, (n) => `${desk.root}/work/f${n}`)
  expect(await filesOf(`${folders(60)}cd ../sub\nsh run.sh`)).toContain('work/sub/run.sh')
  // A folder that does not exist contains nothing.
  expect(await filesOf(`${enter(200, (n) => `/none/${n}`)}sh run.sh`)).toEqual(['work/run.sh'])
  const words = Array.from({ length: 500 }, (_, n) => `w${n}`).join(' ')
  for (const command of [`${folders(70)}sh run.sh`, `${folders(60)}echo ${words}; sh run.sh`]) {
    await expect(present(command), command.slice(-40)).rejects.toThrow('too many files')
  }
})
