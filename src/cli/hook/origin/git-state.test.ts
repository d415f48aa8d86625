import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { gitState } from './git-state.ts'
import { runGit } from './run-git.ts'

let folder = ''
const withinMs = 20_000
beforeEach(() => {
  folder = newFolder('countersign git ')
})

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
    cwd: folder,
    stdio: 'pipe',
  }).toString()
const put = (path: string, text: string): void => writeFileSync(join(folder, path), text)

test('a folder outside of Git has no state', async () => {
  expect(await gitState(folder, withinMs)).toBeNull()
})

test('remote, commit and changes are reported, also from a folder of the repository', async () => {
  git('init', '-q')
  expect(await gitState(folder, withinMs)).toEqual({ remote: null, commit: null, dirty: null })
  git('remote', 'add', 'origin', 'git@example.com:shop.git')
  mkdirSync(join(folder, 'notes'))
  put('notes/a.md', 'a\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  const commit = git('rev-parse', 'HEAD').trim()
  const remote = 'git@example.com:shop.git'
  expect(await gitState(folder, withinMs)).toEqual({ remote, commit, dirty: false })
  put('untracked.md', 'x')
  expect((await gitState(folder, withinMs))?.dirty).toBe(false)
  put('notes/a.md', 'b\n')
  const below = await gitState(join(folder, 'notes'), withinMs)
  expect(below).toEqual({ remote, commit, dirty: true })
})

test('a worktree is reported with its own commit and files', async () => {
  git('init', '-q', 'main')
  folder = join(folder, 'main')
  put('a.md', 'a\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  git('worktree', 'add', '-q', '../other')
  const other = join(folder, '../other')
  expect(await gitState(other, withinMs)).toMatchObject({ dirty: false })
  writeFileSync(join(other, 'a.md'), 'b\n')
  expect(await gitState(other, withinMs)).toMatchObject({ dirty: true })
  expect(await gitState(folder, withinMs)).toMatchObject({ dirty: false })
  folder = join(folder, '..')
})

test.each([
  ['https://token@example.com/shop.git', 'https://example.com/shop.git'],
  ['https://ada:secret@example.com/shop.git', 'https://example.com/shop.git'],
  ['ssh://git:secret@example.com/shop.git', 'ssh://git@example.com/shop.git'],
  ['ssh://git@example.com/shop.git', 'ssh://git@example.com/shop.git'],
  ['/srv/shop.git', '/srv/shop.git'],
])(
  'the credentials in the address of a remote are left out: %s',
  async (remote, reportedRemote) => {
    git('init', '-q')
    git('remote', 'add', 'origin', remote)
    expect((await gitState(folder, withinMs))?.remote).toBe(reportedRemote)
  },
)

// Rules: security.md 6
test('nothing that a repository configures is run', async () => {
  git('init', '-q')
  const mark = join(folder, 'ran')
  const program = join(folder, 'evil.sh')
  put('evil.sh', `#!/bin/sh\ntouch "${mark}"\ncat\n`)
  chmodSync(program, 0o755)
  put('.gitattributes', '* filter=evil\n')
  put('a.md', 'a\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  const run = `"${program}"`
  for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process']) {
    git('config', key, run)
  }
  for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand', 'core.editor']) {
    git('config', key, run)
  }
  mkdirSync(join(folder, 'hooks'))
  for (const name of ['post-index-change', 'fsmonitor-watchman']) {
    put(`hooks/${name}`, `#!/bin/sh\ntouch "${mark}"\n`)
    chmodSync(join(folder, 'hooks', name), 0o755)
  }
  git('config', 'core.hooksPath', 'hooks')
  git('config', 'alias.status', `!${run}`)
  git('config', 'status.submoduleSummary', 'true')
  // The times say that it may have changed; only its contents show whether it has.
  put('a.md', 'b\n')
  utimesSync(join(folder, 'a.md'), new Date(0), new Date(0))
  rmSync(mark, { force: true })
  expect((await gitState(folder, withinMs))?.dirty).toBe(true)
  expect(existsSync(mark)).toBe(false)
  // An ordinary `git status` runs the program.
  git('status')
  expect(existsSync(mark)).toBe(true)
})

test('Git that takes too long is not waited for, and neither is a process that holds its output open', async () => {
  git('init', '-q')
  const before = performance.now()
  const alias = ['-c', 'alias.wait=!sleep 30 & sleep 30', '-C', folder, 'wait']
  expect(await runGit(alias, { withinMs: 300 })).toBeNull()
  expect(performance.now() - before).toBeLessThan(15_000)
})
