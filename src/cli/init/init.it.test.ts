import { execFile } from 'node:child_process'
import { mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseProject } from '#policy/project/parse-project.ts'
import { judgeBy, plainHost } from '#policy/shell/judging.fixture.ts'
import { splitFrontMatter } from '#policy/worker/front-matter.ts'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { version } from '#runtime/version.ts'
import { SmallDisk } from '#test/harness/outages/small-disk.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { putFile, putFiles } from '#test/harness/put-file.ts'

const run = promisify(execFile)
const main = fileURLToPath(new URL('../main.ts', import.meta.url))
let folder: string
beforeEach(() => {
  folder = newFolder('countersign init ')
})

async function countersign(...args: string[]): Promise<string> {
  return (await run(process.execPath, [main, ...args], { cwd: folder })).stdout
}

test('init writes a folder that check finds valid', async () => {
  expect(await countersign('init')).toContain('written  countersign.yaml')
  expect(JSON.parse(await countersign('check', '--json'))).toEqual({ valid: true, problems: [] })
})

/** Every file of a folder with its text, by path. */
async function textsOf(dir: string): Promise<Record<string, string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((one) => join(one.parentPath, one.name))
  const texts = await Promise.all(
    files.map(async (file) => [relative(dir, file), await readFile(file, 'utf8')] as const),
  )
  return Object.fromEntries(texts.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

test('init names the next commands as they can be typed: by a path where the PATH has no countersign', async () => {
  const [, program] = /^ {2}(\S+) check$/m.exec(await countersign('init')) ?? []
  const path = resolve(folder, program ?? '')
  expect((await run(path, ['check'], { cwd: folder })).stdout).toContain('is valid')
})

test.each([
  ['by its path', {}],
  ['by npx, which finds nothing there', { npm_command: 'exec' }],
])(
  'init of another folder, started %s, names the next commands as they can be typed in that folder',
  async (_, more) => {
    const cwd = fileURLToPath(new URL('../../..', import.meta.url))
    const options = { cwd, env: { ...process.env, ...more } }
    const { stdout } = await run(process.execPath, [main, 'init', folder], options)
    const [, program] = /^ {2}(\S+) check$/m.exec(stdout) ?? []
    const path = resolve(folder, program ?? '')
    expect((await run(path, ['check'], { cwd: folder })).stdout).toContain('is valid')
  },
)

test('what init proposes for an empty folder is examples/starter, word for word', async () => {
  await countersign('init')
  const {
    'package.json': editor,
    'tsconfig.json': types,
    '.gitignore': ignored,
    ...texts
  } = await textsOf(folder)
  expect(texts).toEqual(
    await textsOf(fileURLToPath(new URL('../../../examples/starter', import.meta.url))),
  )
  expect(JSON.parse(editor ?? '').devDependencies).toEqual({
    '@countersign/tools': `^${version}`,
    zod: '^4.0.0',
  })
  expect(JSON.parse(types ?? '').include).toEqual(['tools'])
  expect(ignored).toBe('.countersign/\n.env\nnode_modules/\n')
})

test('what init writes names no folder of this machine', async () => {
  await countersign('init')
  const places = [folder, fileURLToPath(new URL('../../..', import.meta.url)), homedir()]
  for (const text of Object.values(await textsOf(folder))) {
    for (const place of places) expect(text).not.toContain(place)
  }
})

test('init proposes zones, commands and routing for what it finds, and check finds them valid', async () => {
  await run('git', ['init', '-q', folder])
  await writeFile(
    join(folder, 'package.json'),
    '{"scripts": {"test": "x", "build": "x", "odd": "x"}}',
  )
  await writeFile(join(folder, 'yarn.lock'), '')
  await writeFile(join(folder, 'go.mod'), 'module x\n')
  for (const name of ['docs', 'infra', 'node_modules', '.venv', 'venv', 'src'])
    await mkdir(join(folder, name))
  const output = await countersign('init')
  expect(output).toContain('found    package.json: rules for yarn test, yarn run build')
  expect(output).toContain(
    'for editors: npm install --save-dev @countersign/tools zod (running needs neither)',
  )
  const worker = await readFile(join(folder, 'workers/assistant.md'), 'utf8')
  for (const line of [
    '- { pattern: git status, approval: preApproved }',
    '- { pattern: yarn test, approval: ask }',
    '- { pattern: go test, approval: ask }',
    'root: node_modules\n    mode: ro',
    'root: docs\n    mode: rw',
  ]) {
    expect(worker).toContain(line)
  }
  expect(worker).not.toContain('odd')
  expect(await readFile(join(folder, 'countersign.yaml'), 'utf8')).toContain(
    'path: "infra/**" }\n    risk: high',
  )
  const { valid, problems } = JSON.parse(await countersign('check', '--json')) as {
    valid: boolean
    problems: { problem: string }[]
  }
  expect(valid).toBe(true)
  // Whether this machine has the programs is not tested.
  expect(problems.filter((one) => !one.problem.includes('is not on this host'))).toEqual([])
})

test.each(['ls', 'ls docs', 'ls docs node_modules', 'cat README.md docs/a.md'])(
  'in every zone that init proposes, what reads runs without approval: %s',
  async (script) => {
    for (const name of ['.git', 'docs', 'node_modules']) await mkdir(join(folder, name))
    await countersign('init')
    const toolFiles = [{ path: 'tools/say-hello.ts', hash: '' }]
    const parsed = parseProject({
      texts: new Map(Object.entries(await textsOf(folder))),
      toolFiles,
    })
    const worker = 'policy' in parsed ? parsed.policy.workers.get('assistant') : undefined
    const { zones, shell } = worker ?? {}
    const host = { ...plainHost, realPath: async (path: string) => resolve(path) }
    expect(await judgeBy(shell?.rules ?? [], script, { zones: zones ?? [], host })).toMatchObject({
      approval: 'preApproved',
    })
  },
)

test.each<[string, Record<string, string>, readonly string[], readonly string[]]>([
  [
    'a monorepo',
    {
      'pnpm-workspace.yaml': '',
      'package.json': '{"scripts":{"test":"x"}}',
      'packages/site/package.json': '{"scripts":{"test":"x","build":"x"}}',
      'services/api/go.mod': 'module x\n',
      'Docs/a.md': 'x',
    },
    ['pnpm test', 'pnpm run build', 'go test', 'root: Docs'],
    ['found    services/api/go.mod: rules for go test, go vet, go build', 'found    Docs/'],
  ],
  ['a Python folder', { 'requirements.txt': 'x' }, ['python -m pytest', 'pip install'], []],
  ['one that uv keeps', { 'pyproject.toml': '', 'uv.lock': '' }, ['uv run pytest'], []],
  ['a Rust folder without Git', { 'Cargo.toml': '' }, ['cargo test'], ['found    Cargo.toml']],
])('init proposes what suits %s', async (_what, files, proposed, found) => {
  putFiles(folder, files)
  const output = await countersign('init')
  for (const line of found) expect(output).toContain(line)
  const worker = await readFile(join(folder, 'workers/assistant.md'), 'utf8')
  for (const line of proposed) expect(worker).toContain(line)
  expect(worker.match(/pattern: pnpm test,/g) ?? []).toHaveLength(
    proposed.includes('pnpm test') ? 1 : 0,
  )
  expect(await countersign('check')).toMatch(/ is valid/)
})

/** A repository with one committed file, in which Git then runs with the words `more`. */
async function repository(...more: readonly string[]): Promise<void> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const git = (...words: string[]) => run('git', [...identity, ...words], { cwd: folder })
  await writeFile(join(folder, 'a.txt'), 'a')
  await git('init', '-q', '-b', 'main')
  await git('add', '-A')
  await git('commit', '-qm', 'first')
  if (more.length > 0) await git(...more)
}
const sandbox = await findSandbox('bwrap')
const isolated = 'workspaces: { default: { root: ".", isolation: worktree } }'

// Rules: product.md 35
test.skipIf(!sandbox.works)(
  'init proposes a worktree for each run of a repository, and tools for its branch',
  async () => {
    await repository('remote', 'add', 'origin', 'https://example.com/x.git')
    const output = await countersign('init')
    expect(output).toContain('a worktree and branch for each run')
    expect(output).toContain('runs begin at the last commit')
    const config = await readFile(join(folder, 'countersign.yaml'), 'utf8')
    expect(config).toContain(`\n${isolated}`)
    const worker = await readFile(join(folder, 'workers/assistant.md'), 'utf8')
    for (const tool of ['merge_branch: {}', 'git_push: {}']) expect(worker).toContain(tool)
    expect(worker).not.toContain('pattern: git push,')
    expect(JSON.parse(await countersign('check', '--json'))).toEqual({ valid: true, problems: [] })
  },
)

test.skipIf(!sandbox.works)('init proposes a worktree in a shallow clone too', async () => {
  await repository()
  await run('git', ['clone', '-q', '--depth', '1', `file://${folder}`, join(folder, 'clone')])
  await countersign('init', 'clone')
  const config = await readFile(join(folder, 'clone/countersign.yaml'), 'utf8')
  expect(config).toContain(`\n${isolated}`)
  expect(await countersign('check', '--project', 'clone')).toMatch(/ is valid/)
})

test.skipIf(!sandbox.works)(
  'init proposes that worktrees begin with copies of the packages that no commit has',
  async () => {
    for (const at of ['vendor', 'packages/site']) await mkdir(join(folder, at), { recursive: true })
    for (const at of ['vendor/ours', 'packages/site/index.js'])
      await writeFile(join(folder, at), '')
    await repository()
    for (const at of ['node_modules', 'packages/site/node_modules']) await mkdir(join(folder, at))
    const output = await countersign('init')
    expect(output).toContain('node_modules/: no commit has it, each worktree gets a copy')
    const config = await readFile(join(folder, 'countersign.yaml'), 'utf8')
    expect(config).toContain(
      'isolation: worktree, copy: [node_modules, packages/site/node_modules]',
    )
    expect(JSON.parse(await countersign('check', '--json'))).toEqual({ valid: true, problems: [] })
  },
)

// Rules: security.md 17
test('init takes no rule from the name of a folder, and prints its control characters as marks', async () => {
  const rule = '{ pattern: curl, approval: preApproved, zones: [project] }'
  putFile(folder, `packages/site\n    - ${rule}\r    #\u001b[2J/Cargo.toml`, '')
  const output = await countersign('init')
  expect(output).toContain('⟦U+001B')
  expect(output).not.toContain('\u001b[2J')
  const worker = await readFile(join(folder, 'workers/assistant.md'), 'utf8')
  const { shell } = parse(splitFrontMatter(worker)?.yaml ?? '') as {
    readonly shell: { readonly rules: readonly { readonly pattern: string }[] }
  }
  const patterns = shell.rules.map(({ pattern }) => pattern)
  expect(patterns).toEqual(expect.arrayContaining(['cargo test', 'ls']))
  expect(patterns).not.toContain('curl')
})

// Rules: security.md 10
test('init writes through no link of the folder, and says so', async () => {
  const outside = newFolder('outside ')
  putFile(outside, 'profile', 'export A=1\n')
  const links = { '.gitignore': 'profile', 'package.json': 'new.json', workers: '.' }
  for (const [name, to] of Object.entries(links))
    await symlink(join(outside, to), join(folder, name))
  const output = await countersign('init')
  expect(output).toContain('left     workers/assistant.md: workers is a link')
  expect(await textsOf(outside)).toEqual({ profile: 'export A=1\n' })
})

const nothing = async (): Promise<void> => undefined
test.skipIf(!sandbox.works).each<[string, () => Promise<unknown>, string, string]>([
  [
    'a repository without a commit',
    () => run('git', ['init', '-q', '-b', 'main', folder]),
    '.',
    'its branch main has no commit yet',
  ],
  ['a detached HEAD', () => repository('checkout', '-q', '--detach'), '.', 'no branch'],
  [
    'one with filters',
    async () => {
      await repository()
      await writeFile(join(folder, '.gitattributes'), '*.bin filter=lfs diff=lfs\n')
    },
    '.',
    'Git LFS',
  ],
  [
    'one with submodules',
    async () => {
      await writeFile(join(folder, '.gitmodules'), '')
      await repository()
    },
    '.',
    'submodules',
  ],
  ['a folder inside one', () => repository(), 'sub', 'a Git repository around it'],
  ['a bare one', () => run('git', ['init', '-q', '--bare', folder]), '.', ''],
  ['no repository', nothing, '.', ''],
])('init proposes no worktree for %s, says why, and check finds it valid', async (...row) => {
  const [, make, at, why] = row
  await make()
  const output = await countersign('init', at)
  expect(output).toContain(why)
  expect(output).not.toContain('runs begin at the last commit')
  const config = await readFile(join(folder, at, 'countersign.yaml'), 'utf8')
  expect(config).not.toContain(`\n${isolated}`)
  expect(await countersign('check', '--project', at)).toMatch(/ is valid/)
})

test('init makes no project of a folder whose own tools it would load, and says where one can be', async () => {
  await mkdir(join(folder, 'tools'))
  await mkdir(join(folder, 'docs'))
  await writeFile(join(folder, 'tools/build.ts'), 'process.exit(3)\n')
  await expect(countersign('init')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /tools\/build\.ts would become a part of the project, but does not look like one\. Create a folder for Countersign: \S*countersign init countersign --workspace \./,
    ),
  })
  expect(await readdir(folder)).toEqual(['docs', 'tools'])
  await countersign('init', 'countersign', '--workspace', '.')
  expect(await readFile(join(folder, 'countersign/countersign.yaml'), 'utf8')).toContain(
    'workspaces: { default: { root: ".." } }',
  )
  expect(await readFile(join(folder, 'countersign/workers/assistant.md'), 'utf8')).toContain(
    'root: docs',
  )
  expect(await countersign('check', '--project', 'countersign')).toMatch(/ is valid/)
})

test('init takes the folder as --project too, and not twice', async () => {
  await countersign('init', '--project', 'shop', '--data', 'elsewhere')
  expect(await countersign('check', '--project', 'shop')).toContain('is valid')
  await expect(countersign('init', 'one', '--project', 'other')).rejects.toMatchObject({ code: 2 })
})

test('check of a folder without a project names that folder', async () => {
  await expect(countersign('check')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`1 error in ${folder}.`),
  })
})

test('init changes no file that is there, says so, and adds to .gitignore once', async () => {
  await writeFile(join(folder, 'package.json'), '{"name":"mine"}\n')
  await writeFile(join(folder, '.gitignore'), 'dist/\n')
  expect(await countersign('init')).toContain('kept     package.json')
  await countersign('init')
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe('{"name":"mine"}\n')
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('dist/\n.countersign/\n.env\n')
})

test('init on a full disk leaves .gitignore as it was', async ({ skip }) => {
  await using disk = await SmallDisk.at(folder)
  if (disk === null) return skip('this machine permits no mount')
  await countersign('init')
  await writeFile(join(folder, '.gitignore'), 'dist/\n')
  await expect(disk.whileFull(() => countersign('init'))).rejects.toThrow('ENOSPC')
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('dist/\n')
})

test('init on a full disk leaves no part of a file, which the next one would keep', async ({
  skip,
}) => {
  await using disk = await SmallDisk.at(folder)
  if (disk === null) return skip('this machine permits no mount')
  await writeFile(join(folder, 'notes.txt'), 'mine\n')
  await expect(disk.whileFull(() => countersign('init'))).rejects.toThrow('ENOSPC')
  expect(await readdir(folder)).toEqual(['notes.txt'])
  expect(await countersign('init')).toContain('written  countersign.yaml')
})

test('init does not wait for a pipe where a file should be', async () => {
  for (const name of ['package.json', '.gitattributes', '.gitignore']) {
    await run('mkfifo', [join(folder, name)])
  }
  await run('git', ['init', '-q'], { cwd: folder })
  await expect(countersign('init')).rejects.toThrow('.gitignore is not a file')
  await using writer = await open(join(folder, '.gitignore'), 'r+')
  expect((await writer.stat()).isFIFO()).toBe(true)
  await expect(countersign('init')).rejects.toThrow('.gitignore is not a file')
})

test('init keeps the file of keys out of Git also where the data folder is ignored already', async () => {
  await writeFile(join(folder, '.gitignore'), '.countersign/\n')
  expect(await countersign('init')).toContain('written  .gitignore (.env, node_modules/)')
  const ignored = await readFile(join(folder, '.gitignore'), 'utf8')
  expect(ignored).toBe('.countersign/\n.env\nnode_modules/\n')
})

test('check names every problem with its file, line and remedy, and ends with 1', async () => {
  await writeFile(
    join(folder, 'countersign.yaml'),
    'version: 1\nqueus: {}\ndefaults: { queue: nowhere }\n',
  )
  const failed = await run(process.execPath, [main, 'check', '--json'], { cwd: folder }).catch(
    (error: unknown) => error as { code: number; stdout: string },
  )
  expect(failed).toMatchObject({ code: 1 })
  const { valid, problems } = JSON.parse(failed.stdout) as { valid: boolean; problems: object[] }
  expect(valid).toBe(false)
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ file: 'countersign.yaml', line: 2, severity: 'error' }),
      expect.objectContaining({ file: 'countersign.yaml', line: 3, severity: 'error' }),
    ]),
  )
})
