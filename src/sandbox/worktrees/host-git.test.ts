import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { hostGit } from './host-git.ts'
import { makeWorktree } from './make-worktree.ts'
import {
  blockedCheckout,
  finishMerge,
  gitOf,
  mergeCommit,
  mergedTree,
  moveBase,
} from './merge-commits.ts'
import { objectStoresOf } from './repository.ts'
import { worktreeFolder } from './worktree-record.ts'

const gitDir = newFolder('host-git-')
execFileSync('git', ['init', '-q', '--bare', gitDir])

const sha1 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Seven bits a byte, the lowest first; the first byte has `first` bits and a type above them. */
function sizeBytes(size: number, type = 0, first = 7): Buffer {
  const bytes = [type | (size % 2 ** first)]
  for (let left = Math.floor(size / 2 ** first); left > 0; left = Math.floor(left / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(left % 128)
  }
  return Buffer.from(bytes)
}

/** A pack of two objects, of which one is `copies` copies of the other, 16 MB each. */
function packOfCopies(copies: number): Buffer {
  const base = Buffer.alloc(0xffff00)
  const id = sha1(`blob ${base.length}\0`, base)
  const copyAll = Buffer.from([0x80 | 0x20 | 0x40, 0xff, 0xff])
  const delta = Buffer.concat([
    sizeBytes(base.length),
    sizeBytes(copies * base.length),
    ...Array.from({ length: copies }, () => copyAll),
  ])
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\x02', 'latin1')
  const pack = Buffer.concat([
    header,
    sizeBytes(base.length, 3 << 4, 4),
    deflateSync(base),
    sizeBytes(delta.length, 7 << 4, 4),
    id,
    deflateSync(delta),
  ])
  return Buffer.concat([pack, sha1(pack)])
}

// Rules: security.md 9, 27
test('a small pack cannot make Git on the host use the memory of the host', async () => {
  const words = ['index-pack', '--strict', '--stdin']
  const fine = await hostGit(words, { gitDir, stdin: packOfCopies(2) })
  expect(fine).toMatchObject({ code: 0, stderr: '' })
  const pack = packOfCopies(44)
  expect(pack.length).toBeLessThan(20_000)
  const end = await hostGit(words, { gitDir, stdin: pack })
  expect(end.code).not.toBe(0)
  expect(end.stderr).toMatch(/over limit/)
})

// Rules: security.md 6
test('Git on the host reaches no other repository, whatever protocols this one allows', async () => {
  const names = ['ext', 'file']
  for (const name of names) {
    execFileSync('git', ['-C', gitDir, 'config', `protocol.${name}.allow`, 'always'])
  }
  for (const [index, address] of ['ext::sh -c id', gitDir].entries()) {
    const end = await hostGit(['ls-remote', address], { gitDir })
    expect(end.code).not.toBe(0)
    expect(end.stderr).toContain(`transport '${names[index]}' not allowed`)
  }
})

// Rules: security.md 7, 8
test('a repository lends commands the objects of repositories, and no other folder that it names', async () => {
  const repository = { gitDir, checkoutGitDir: gitDir, format: 'sha1' } as const
  const list = path.join(gitDir, 'objects/info/alternates')
  const other = newFolder('other-')
  execFileSync('git', ['init', '-q', '--bare', other])
  const own = path.join(gitDir, 'objects')
  writeFileSync(list, `${other}/objects\n`)
  expect(await objectStoresOf(repository)).toEqual([own, `${other}/objects`])
  const keys = newFolder('keys-')
  mkdirSync(path.join(keys, 'objects'))
  for (const folder of [keys, `${keys}/objects`, '/']) {
    writeFileSync(list, `${folder}\n`)
    await expect(objectStoresOf(repository)).rejects.toThrow(`it borrows objects from ${folder}`)
  }
})

// Rules: security.md 6; product.md 35
test('nothing that a repository configures is run when a worktree is made of it and merged into it', async () => {
  const root = newFolder('host-git-evil-')
  const dataDir = newFolder('host-git-data-')
  const mark = path.join(newFolder('host-git-mark-'), 'ran')
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
  const git = (...words: string[]): string =>
    execFileSync('git', [...identity, ...words], { cwd: root, encoding: 'utf8' }).trim()
  git('init', '-q', '-b', 'main')
  writeFileSync(path.join(root, '.gitattributes'), '* filter=evil diff=evil merge=evil\n')
  writeFileSync(path.join(root, 'a.md'), 'a\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
  const from = git('rev-parse', 'HEAD')
  git('checkout', '-q', '-b', 'other')
  writeFileSync(path.join(root, 'a.md'), 'b\n')
  git('commit', '-qam', 'second')
  const head = git('rev-parse', 'HEAD')
  git('checkout', '-q', 'main')
  const program = path.join(root, 'evil.sh')
  writeFileSync(program, `#!/bin/sh\ntouch "${mark}"\ncat\n`, { mode: 0o755 })
  mkdirSync(path.join(root, 'hooks'))
  for (const name of [
    'reference-transaction',
    'post-checkout',
    'post-index-change',
    'post-merge',
  ]) {
    writeFileSync(path.join(root, 'hooks', name), `#!/bin/sh\ntouch "${mark}"\n`, { mode: 0o755 })
  }
  const more = path.join(root, 'more.config')
  const keys =
    'filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.textconv diff.evil.command merge.evil.driver core.fsmonitor core.sshCommand core.pager core.editor diff.external gpg.program uploadpack.packObjectsHook'
  for (const key of keys.split(' ')) git('config', '--file', more, key, `"${program}"`)
  for (const [key, value] of [
    ['core.hooksPath', path.join(root, 'hooks')],
    ['commit.gpgSign', 'true'],
    ['alias.update-ref', `!"${program}"`],
    ['alias.read-tree', `!"${program}"`],
  ] as const) {
    git('config', '--file', more, key, value)
  }
  git('config', 'include.path', more)
  rmSync(mark, { force: true })
  const worktree = { base: 'main', baseCommit: from, branch: 'countersign/r' }
  const record = await makeWorktree({ dataDir, root, runId: 'r', worktree, copy: [] })
  const folder = worktreeFolder(dataDir, 'r')
  const run = gitOf(folder, record)
  const merged = await mergedTree(run, from, head)
  const tree = 'tree' in merged ? merged.tree : ''
  const commit = { author: person, committer: person, trailers: [] }
  const to = await mergeCommit(run, { tree, base: from, head }, 'merge', commit)
  expect(await blockedCheckout(folder, record, { from, to })).toBeNull()
  expect(await moveBase(folder, record, { from, to })).toBe(true)
  await finishMerge(folder)
  expect(readFileSync(path.join(root, 'a.md'), 'utf8')).toBe('b\n')
  expect(existsSync(mark)).toBe(false)
  // What a person's own Git does there runs them.
  spawnSync('git', ['checkout', '-q', '-f', from], { cwd: root })
  expect(existsSync(mark)).toBe(true)
})

const person = { name: 'a', email: 'a@example.com' }
