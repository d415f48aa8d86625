import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { trackedNames } from './index-names.ts'
import { hasTrackedFiles, isTracked } from './tracked-paths.ts'

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
    for (const [at, has] of Object.entries({ src: true, 'src/deep': true, '': true, sr: false })) {
      expect(await hasTrackedFiles(path.join(root, at)), at).toBe(has)
    }
    expect(await hasTrackedFiles(path.join(root, 'mixed/none'))).toBe(false)
    const linked = newFolder('linked-')
    mkdirSync(path.join(linked, 'src'))
    symlinkSync(path.join(root, '.git'), path.join(linked, '.git'))
    expect(await hasTrackedFiles(path.join(linked, 'src'))).toBe(true)
    const broken = newFolder('broken-')
    expect(await hasTrackedFiles(broken)).toBe(false)
    mkdirSync(path.join(broken, '.git'))
    writeFileSync(path.join(broken, '.git/index'), 'DIRCx')
    expect(await hasTrackedFiles(path.join(broken, 'docs'))).toBe(true)
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
      expect(await hasTrackedFiles(root)).toBe(true)
      rmSync(index)
      execFileSync('mkfifo', [index])
      expect(await isTracked(root, 'a.md')).toBe(false)
      expect(await hasTrackedFiles(root)).toBe(true)
    } finally {
      rmSync(index)
      renameSync(`${index}.real`, index)
    }
    expect(await isTracked(root, 'a.md')).toBe(true)
  })

  test('nothing where bytes are no index, however they are cut', () => {
    expect(trackedNames(Buffer.from('DIRC'))).toBeNull()
    const head = Buffer.alloc(12)
    head.write('DIRC')
    for (const version of [2, 4]) {
      head.writeUInt32BE(version, 4)
      head.writeUInt32BE(3, 8)
      for (let size = 0; size < 200; size += 7) {
        expect(trackedNames(Buffer.concat([head, Buffer.alloc(size, 0xff)]))).toBeNull()
      }
    }
  })
})
