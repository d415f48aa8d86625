import path from 'node:path'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import type { ProjectFiles } from '#policy/policy.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { reportedCommit } from './reported-commit.ts'
import { loadProject, readProject } from './read-project.ts'
import { putFile } from '#test/harness/put-file.ts'
import { withoutDescriptors } from '#test/harness/outages/without-descriptors.ts'

let folder: string
beforeEach(() => {
  folder = newFolder('project folder-')
  put('countersign.yaml', 'version: 1\n')
  put('workers/scribe.md', '---\nmodel: script:./scripts/demo.yaml\n---\nWrite.\n')
  put('scripts/demo.yaml', 'turns:\n  - text: Done.\n')
})

const put = (at: string, text: string | Uint8Array): void => putFile(folder, at, text)

async function files(): Promise<ProjectFiles> {
  const read = await readProject(folder)
  if ('files' in read) return read.files
  throw new Error(JSON.stringify(read.problems))
}

async function problems(): Promise<string[]> {
  const read = await readProject(folder)
  return 'files' in read ? [] : read.problems.map((one) => `${one.file}: ${one.problem}`)
}

test('a version is the configuration, the workers, their scripts and the hashes of tools', async () => {
  put('tools/slack.ts', 'export default 1\n')
  put('tools/lib/a.ts', 'export const a = 1\n')
  put('tools/node_modules/x/index.js', 'no')
  put('scripts/unused.yaml', 'turns: []\n')
  put('workers/notes.txt', 'not a worker')
  put('README.md', 'not a part')
  const { texts, toolFiles } = await files()
  expect([...texts.keys()]).toEqual(['countersign.yaml', 'workers/scribe.md', 'scripts/demo.yaml'])
  expect(toolFiles).toEqual([
    { path: 'tools/lib/a.ts', hash: hashBytes('export const a = 1\n') },
    { path: 'tools/slack.ts', hash: hashBytes('export default 1\n') },
  ])
})

test('a missing file is left for parsing to report', async () => {
  rmSync(path.join(folder, 'countersign.yaml'))
  rmSync(path.join(folder, 'scripts'), { recursive: true })
  expect((await files()).texts.size).toBe(1)
  expect(await loadProject(folder)).toMatchObject({
    problems: [
      { file: 'countersign.yaml', problem: 'the file does not exist' },
      { file: 'workers/scribe.md' },
    ],
  })
})

test('a process that has too many files open says nothing about the project', () => {
  const module = new URL('read-project.ts', import.meta.url).href
  const imports = `import { readProject } from '${module}'`
  const work = `await readProject(${JSON.stringify(folder)})`
  expect(withoutDescriptors(imports, work)).toMatch(/^Error: EMFILE: too many open files/)
})

test('one that can read its files, and start no thread for the packages of its tools, says nothing either', () => {
  put('tools/a.ts', "import x from 'pack'\n")
  const module = new URL('read-project.ts', import.meta.url).href
  const imports = `import { closeSync } from 'node:fs'\nimport { readProject } from '${module}'`
  const work = `closeSync(1023)\n  await readProject(${JSON.stringify(folder)})`
  expect(withoutDescriptors(imports, work)).toMatch(/^\w+: .*EMFILE/)
})

test('a link out of the folder is refused, and a link within it is followed', async () => {
  const outside = newFolder('outside-')
  writeFileSync(path.join(outside, 'evil.md'), '---\n---\n')
  symlinkSync(path.join(outside, 'evil.md'), path.join(folder, 'workers/evil.md'))
  expect(await problems()).toEqual([
    expect.stringMatching(/^workers\/evil.md: .*leads out of the project folder/),
  ])
  rmSync(path.join(folder, 'workers/evil.md'))
  symlinkSync('scribe.md', path.join(folder, 'workers/again.md'))
  expect((await files()).texts.has('workers/again.md')).toBe(true)
})

// Rules: security.md 8
test('a link to a file in a zone of an agent is refused; one to a mounted volume is followed', async () => {
  put('notes/evil.md', '---\nmodel: script:./scripts/demo.yaml\n---\nEvil.\n')
  symlinkSync('../notes/evil.md', path.join(folder, 'workers/evil.md'))
  put('..data/scribe.md', '---\nmodel: script:./scripts/demo.yaml\n---\nWrite.\n')
  symlinkSync('../..data/scribe.md', path.join(folder, 'workers/volume.md'))
  mkdirSync(path.join(folder, 'tools'))
  symlinkSync('../notes/evil.md', path.join(folder, 'tools/evil.ts'))
  expect(await problems()).toEqual([
    expect.stringMatching(
      /^workers\/evil.md: .*a link to notes\/evil.md, which may be in an agent's zone/,
    ),
    expect.stringMatching(
      /^tools\/evil.ts: .*a link to notes\/evil.md, which may be in an agent's zone/,
    ),
  ])
  rmSync(path.join(folder, 'workers/evil.md'))
  rmSync(path.join(folder, 'tools/evil.ts'))
  expect((await files()).texts.has('workers/volume.md')).toBe(true)
})

// Rules: security.md 36
test('a version records the packages that its tools name, and their dependencies, with the contents of their folders', async () => {
  put('package.json', '{"name":"own","scripts":{},"imports":{"#db":"imported"}}')
  put('tools/a.ts', "import x from 'pack/sub'\nconst late = 'late'\n")
  put('node_modules/pack/package.json', '{"dependencies":{"deep":"1","absent":"1"}}')
  put('node_modules/deep/index.js', 'deep')
  put('node_modules/late/index.js', 'late')
  put('node_modules/imported/index.js', 'imported')
  put('node_modules/unnamed/index.js', 'unnamed')
  const recorded = async () =>
    new Map((await files()).toolFiles.map(({ path: at, hash }) => [at, hash]))
  const first = await recorded()
  expect([...first.keys()]).toEqual([
    'tools/a.ts',
    'node_modules/deep/',
    'node_modules/imported/',
    'node_modules/late/',
    'node_modules/pack/',
    'package.json',
  ])
  put('node_modules/deep/data.txt', 'more')
  put('node_modules/unnamed/index.js', 'changed')
  put('package.json', '{"name":"own","scripts":{"a":"b"},"imports":{"#db":"imported"}}')
  const second = await recorded()
  const changed = [...second].filter(([at, hash]) => first.get(at) !== hash)
  expect(changed.map(([at]) => at)).toEqual(['node_modules/deep/'])
  put('package.json', '{"name":"own","imports":{"#db":"pack"}}')
  expect((await recorded()).get('package.json')).not.toBe(first.get('package.json'))
})

test('special files do not block, and files that are not text are refused', async () => {
  execFileSync('mkfifo', [path.join(folder, 'workers/pipe.md')])
  put('workers/binary.md', Uint8Array.from([0xff, 0xfe, 0x00]))
  put('workers/large.md', 'x'.repeat(1024 * 1024 + 1))
  expect(await problems()).toEqual([
    expect.stringMatching(/^workers\/binary.md: .*not UTF-8/),
    expect.stringMatching(/^workers\/large.md: .*over 1048576 bytes/),
    expect.stringMatching(/^workers\/pipe.md: .*not a regular file/),
  ])
})

test('a pipe in place of a package.json does not block', async () => {
  put('tools/a.ts', "import x from 'pack'\n")
  put('node_modules/pack/index.js', 'pack')
  execFileSync('mkfifo', [path.join(folder, 'node_modules/pack/package.json')])
  const { toolFiles } = await files()
  expect(toolFiles.map((file) => file.path)).toEqual(['tools/a.ts', 'node_modules/pack/'])
  execFileSync('mkfifo', [path.join(folder, 'package.json')])
  expect(await problems()).toEqual([
    expect.stringMatching(/^tools: .*package.json is not a regular file/),
  ])
})

test('Git is asked for the commit and its author, and says when files differ from it', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: folder,
      stdio: 'pipe',
    })
  expect(await reportedCommit(folder, await files())).toBe('uncommitted')
  git('init', '-q')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  expect(await reportedCommit(folder, await files())).toMatch(
    /^commit [0-9a-f]{40} by Ada <ada@example.com>$/,
  )
  put('workers/scribe.md', '---\nmodel: script:./scripts/demo.yaml\n---\nWrite more.\n')
  expect(await reportedCommit(folder, await files())).toBe('uncommitted')
})

test('no program that a repository configures is run when Git is asked', async () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
  const mark = path.join(folder, 'ran')
  git('init', '-q')
  put('.gitattributes', '* filter=evil\n')
  for (const key of ['core.fsmonitor', 'core.pager', 'gpg.program', 'core.sshCommand']) {
    git('config', key, `touch ${mark}`)
  }
  git('config', 'filter.evil.clean', 'cat')
  git('config', 'log.showSignature', 'true')
  git('-c', 'core.fsmonitor=false', 'add', '-A')
  execFileSync(
    'git',
    '-c core.fsmonitor=false -c user.name=A -c user.email=a@b.c commit -q -m first'.split(' '),
    { cwd: folder, stdio: 'pipe' },
  )
  git('config', 'filter.evil.clean', `touch ${mark}`)
  put('countersign.yaml', 'version: 1\n# changed\n')
  rmSync(mark, { force: true })
  expect(await reportedCommit(folder, await files())).toBe('uncommitted')
  expect(existsSync(mark)).toBe(false)
})
