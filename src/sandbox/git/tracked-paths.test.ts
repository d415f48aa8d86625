import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { trackedModes } from './index-names.ts'
import { filesInGit, isTracked } from './tracked-paths.ts'

const git = (...args: readonly string[]): void => {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: root,
    stdio: 'ignore',
  })
}
const root = newFolder('tracked-')
mkdirSync(path.join(root, 'src/deep'), { recursive: true })
mkdirSync(path.join(root, 'mixed'))
for (const file of ['a.md', 'src/b.ts', 'src/deep/ü.ts', 'mixed/c.ts']) {
  writeFileSync(path.join(root, file), file)
}
git('init', '-q')
git('add', '.')
git('commit', '-qm', 'x')
writeFileSync(path.join(root, 'mixed/data.csv'), '1')

describe('Git has', () => {
  test.each(['2', '4'])(
    'what its index of version %s lists, in folders as well',
    async (version) => {
      git('update-index', '--index-version', version)
      for (const at of ['a.md', 'src/b.ts', 'src', 'src/deep/ü.ts', 'absent.txt']) {
        expect(await isTracked(root, at), at).toBe(true)
      }
      for (const at of ['mixed/data.csv', 'mixed', '', '../elsewhere', '.git']) {
        expect(await isTracked(root, at), at).toBe(false)
      }
    },
  )

  test('files of a folder, where its index lists one below it, and where it cannot be read', async () => {
    const folders = {
      src: 'some',
      'src/deep': 'some',
      '': 'some',
      sr: 'none',
      'mixed/none': 'none',
    }
    for (const [at, has] of Object.entries(folders)) {
      expect(await filesInGit(path.join(root, at)), at).toBe(has)
    }
    const linked = newFolder('linked-')
    mkdirSync(path.join(linked, 'src'))
    symlinkSync(path.join(root, '.git'), path.join(linked, '.git'))
    expect(await filesInGit(path.join(linked, 'src'))).toBe('some')
    const broken = newFolder('broken-')
    expect(await filesInGit(broken)).toBe('none')
    mkdirSync(path.join(broken, '.git'))
    expect(await filesInGit(path.join(broken, 'docs'))).toBe('no index')
    writeFileSync(path.join(broken, '.git/index'), 'DIRCx')
    expect(await filesInGit(path.join(broken, 'docs'))).toBe('unreadable')
  })

  test.each([
    [
      'whose entries are in another file',
      'git init -q && git add . && git update-index --split-index',
    ],
    ['of a SHA-256 repository', 'git init -q --object-format=sha256 && git add .'],
  ])('nobody knows which files by an index %s', async (_, script) => {
    const folder = newFolder('index-')
    writeFileSync(path.join(folder, 'a.md'), 'a')
    execFileSync('bash', ['-c', script], { cwd: folder, stdio: 'ignore' })
    expect(await filesInGit(folder)).toBe('unreadable')
  })

  test('files by an index without a hash of its own, and with extensions', async () => {
    const folder = newFolder('index-')
    writeFileSync(path.join(folder, 'a.md'), 'a')
    const script =
      'git init -q && git -c index.skipHash=true add . && git update-index --untracked-cache'
    execFileSync('bash', ['-c', script], { cwd: folder, stdio: 'ignore' })
    expect(await filesInGit(folder)).toBe('some')
  })

  test('what the index of a worktree lists', async () => {
    const tree = path.join(root, '..', `${path.basename(root)}-tree`)
    git('worktree', 'add', '-q', tree)
    try {
      writeFileSync(path.join(tree, 'new.txt'), '1')
      expect(await isTracked(tree, 'a.md')).toBe(true)
      expect(await isTracked(tree, 'new.txt')).toBe(false)
    } finally {
      rmSync(tree, { recursive: true, force: true })
    }
  })

  test('nothing by an index that is a link or a pipe, and reading it never waits', async () => {
    const index = path.join(root, '.git/index')
    renameSync(index, `${index}.real`)
    try {
      symlinkSync('index.real', index)
      expect(await isTracked(root, 'a.md')).toBe(false)
      expect(await filesInGit(root)).toBe('unreadable')
      rmSync(index)
      execFileSync('mkfifo', [index])
      expect(await isTracked(root, 'a.md')).toBe(false)
      expect(await filesInGit(root)).toBe('unreadable')
    } finally {
      rmSync(index)
      renameSync(`${index}.real`, index)
    }
    expect(await isTracked(root, 'a.md')).toBe(true)
  })

  test('nothing where bytes are no index, however they are cut', () => {
    expect(trackedModes(Buffer.from('DIRC'))).toBeNull()
    const head = Buffer.alloc(12)
    head.write('DIRC')
    for (const version of [2, 4]) {
      head.writeUInt32BE(version, 4)
      head.writeUInt32BE(3, 8)
      for (let size = 0; size < 200; size += 7) {
        expect(trackedModes(Buffer.concat([head, Buffer.alloc(size, 0xff)]))).toBeNull()
      }
    }
  })
})
