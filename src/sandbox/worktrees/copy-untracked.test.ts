import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  globSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { copyLimits, copyUntracked } from './copy-untracked.ts'
import { putFile } from '#test/harness/put-file.ts'

let base: string
let root: string
let tree: string
let dataDir: string

beforeEach(() => {
  base = newFolder('copy-')
  root = join(base, 'root')
  tree = join(base, 'tree')
  dataDir = join(root, 'vendor/data')
  for (const at of [root, tree, join(base, 'outside')]) mkdirSync(at)
  writeFileSync(join(base, 'outside/secret.txt'), 'secret')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const put = (at: string, text = at): void => putFile(root, at, text)
const copy = (paths: string[], limits = copyLimits): Promise<readonly string[]> =>
  copyUntracked({ root, tree, paths, dataDir, limits })
const read = (at: string): string => readFileSync(join(tree, at), 'utf8')

// Rules: product.md 35; security.md 8, 10, 11
test('a copy has the bytes and permissions of the files, and shares no file with them', async () => {
  put('node_modules/a/index.js', 'one')
  put('node_modules/.bin/a', '#!/bin/sh\n')
  chmodSync(join(root, 'node_modules/.bin/a'), 0o4755)
  linkSync(join(root, 'node_modules/a/index.js'), join(root, 'node_modules/a/again.js'))
  expect(await copy(['node_modules'])).toEqual(['node_modules'])
  writeFileSync(join(tree, 'node_modules/a/index.js'), 'two')
  expect(readFileSync(join(root, 'node_modules/a/index.js'), 'utf8')).toBe('one')
  expect(read('node_modules/a/again.js')).toBe('one')
  expect(lstatSync(join(tree, 'node_modules/.bin/a')).mode & 0o7777).toBe(0o755)
})

test('a link is copied as a link, wherever it leads, and nothing behind it is read', async () => {
  put('node_modules/a/index.js')
  const links = {
    'node_modules/file': join(base, 'outside/secret.txt'),
    'node_modules/folder': join(base, 'outside'),
    'node_modules/above': '../../outside',
    'node_modules/loop': '.',
    'node_modules/gone': 'nowhere',
  }
  for (const [at, to] of Object.entries(links)) symlinkSync(to, join(root, at))
  await copy(['node_modules'])
  for (const [at, to] of Object.entries(links)) expect(readlinkSync(join(tree, at))).toBe(to)
})

test('installed packages that only the service needs are left out, as npm recorded them', async () => {
  const packages = {
    'node_modules/countersign': { dependencies: { zod: '4', core: '1', both: '1' } },
    'node_modules/countersign/node_modules/zod': {},
    'node_modules/core': { optionalDependencies: { native: '1' }, peerDependencies: { both: '1' } },
    'node_modules/native': {},
    'node_modules/both': { dependencies: { deep: '1' } },
    'node_modules/deep': {},
    'node_modules/zod': {},
    'node_modules/site': { link: true, resolved: 'packages/site' },
    'packages/site': { devDependencies: { both: '1' } },
  }
  for (const at of Object.keys(packages).filter((at) => at !== 'node_modules/site'))
    put(`${at}/index.js`)
  put('node_modules/unrecorded/index.js')
  put('node_modules/.package-lock.json', JSON.stringify({ packages }))
  const installed = async (own: string): Promise<string[]> => {
    rmSync(join(tree, 'node_modules'), { recursive: true, force: true })
    put('package.json', own)
    await copy(['node_modules'])
    return globSync('node_modules/**/index.js', { cwd: tree })
      .map((at) => at.slice('node_modules/'.length, -'/index.js'.length))
      .toSorted()
  }
  const all = ['both', 'countersign', 'deep', 'unrecorded', 'zod']
  const needs = { zod: '4', countersign: '1' }
  expect(await installed(JSON.stringify({ devDependencies: needs }))).toEqual(all)
  const native = { ...needs, native: '1' }
  expect(await installed(JSON.stringify({ dependencies: native }))).toEqual(
    [...all, 'native'].toSorted(),
  )
  const everything = [...all, 'core', 'countersign/node_modules/zod', 'native'].toSorted()
  expect(await installed('no JSON')).toEqual(everything)
  put('node_modules/.package-lock.json', '{"packages":[]}')
  expect(await installed(JSON.stringify({ devDependencies: needs }))).toEqual(everything)
})

const python = spawnSync('python3', ['-c', 'import venv'])

// As docs/workspaces.md says of Python: its programs are called as modules.
test.skipIf(python.status !== 0)(
  'a Python environment works in its copy, with the packages of the copy and not of the folder',
  async () => {
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(root, '.venv')])
    const [packages] = globSync('.venv/lib/python*/site-packages', { cwd: root })
    put(`${packages}/greeting.py`, 'print("from the folder")\n')
    expect(await copy(['.venv'])).toEqual(['.venv'])
    writeFileSync(join(tree, `${packages}/greeting.py`), 'print("from the copy")\n')
    const say = (at: string, ...words: string[]): string =>
      execFileSync(join(at, '.venv/bin/python'), words, { encoding: 'utf8' }).trim()
    expect(say(tree, '-m', 'greeting')).toBe('from the copy')
    expect(say(root, '-m', 'greeting')).toBe('from the folder')
    expect(say(tree, '-c', 'import sys; print(sys.prefix)')).toBe(join(tree, '.venv'))
    // A link, as in every copy: the interpreter of the machine is not copied.
    expect(lstatSync(join(tree, '.venv/bin/python')).isSymbolicLink()).toBe(true)
  },
)

test('a path that leads through a link is left out, on both sides', async () => {
  symlinkSync(join(base, 'outside'), join(root, 'packages'))
  mkdirSync(join(base, 'outside/node_modules'))
  put('apps/site/node_modules/x')
  mkdirSync(join(tree, 'packages'))
  symlinkSync(join(base, 'outside'), join(tree, 'apps'))
  expect(await copy(['packages/node_modules', 'apps/site/node_modules', 'gone'])).toEqual([])
  expect(readdirSync(join(base, 'outside')).toSorted()).toEqual(['node_modules', 'secret.txt'])
})

test('paths of the commit are not overwritten by copies', async () => {
  put('vendor/a', 'of the folder')
  mkdirSync(join(tree, 'vendor'))
  writeFileSync(join(tree, 'vendor/b'), 'of the commit')
  expect(await copy(['vendor'])).toEqual([])
  expect(readdirSync(join(tree, 'vendor'))).toEqual(['b'])
})

test('repositories, the data folder and special files are left out', async () => {
  for (const at of ['vendor/a/.git/config', 'vendor/b/.GIT', 'vendor/data/key', 'vendor/kept'])
    put(at)
  execFileSync('mkfifo', [join(root, 'vendor/pipe')])
  await copy(['vendor'])
  expect(readdirSync(join(tree, 'vendor'), { recursive: true })).toEqual(
    expect.arrayContaining(['a', 'b', 'kept']),
  )
  expect(readdirSync(join(tree, 'vendor'), { recursive: true })).toHaveLength(3)
})

test.each([
  ['files', { entries: 3, bytes: 1000 }],
  ['bytes', { entries: 1000, bytes: 20 }],
])('more %s than the limit are refused, with the place', async (_what, limits) => {
  for (const name of ['a', 'b', 'c', 'd']) put(`vendor/${name}`, '0123456789')
  await expect(copy(['vendor'], limits)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('"vendor/'),
  })
})
