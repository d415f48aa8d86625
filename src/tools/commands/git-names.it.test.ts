import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandDesk, testSandbox } from './commands.fixture.ts'

const zones = '\n  - { name: all, root: ., mode: rw }'
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
type Desk = Awaited<ReturnType<typeof commandDesk>>

/** As a person would run it in that folder afterwards, outside of any sandbox. */
function git(desk: Desk, folder: string, ...words: string[]) {
  const cwd = path.join(desk.root, folder)
  const env = {
    PATH: process.env['PATH'],
    HOME: desk.root,
    GIT_EDITOR: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
  }
  return spawnSync('git', [...identity, ...words], { cwd, env, encoding: 'utf8' })
}

/** A repository with two commits on a branch, of which a rebase stops in the middle. */
function repository(desk: Desk): void {
  const steps = [
    ['init', '-q', '-b', 'main', '.'],
    ['commit', '-q', '--allow-empty', '-m', 'one'],
    ['commit', '-q', '--allow-empty', '-m', 'two'],
    ['commit', '-q', '--allow-empty', '-m', 'three'],
  ]
  mkdirSync(path.join(desk.root, 'r'))
  for (const words of steps) expect(git(desk, 'r', ...words).status).toBe(0)
}

async function shell(desk: Desk, command: string): Promise<string> {
  const result = await desk.run('shell', { command, cwd: 'r' })
  return result.violation ?? ''
}

const pwned = (desk: Desk): boolean => existsSync(path.join(desk.root, 'r/pwned'))

// Rules: security.md 8
describe.skipIf(!testSandbox.works)('nothing remains that Git would run later:', () => {
  const stop = `git -c sequence.editor='sed -i 1i\\break' ${identity.join(' ')} rebase -q -i --root`

  test('a rebase whose list has commands', async () => {
    using desk = await commandDesk({}, { zones })
    repository(desk)
    const evil = `${stop}; echo 'exec touch ${desk.root}/r/pwned' > .git/rebase-merge/git-rebase-todo`
    expect(await shell(desk, evil)).toContain('r/.git/rebase-merge/git-rebase-todo')
    git(desk, 'r', 'rebase', '--continue')
    expect(pwned(desk)).toBe(false)
    // The same by hand: git does run it.
    expect(git(desk, 'r', 'rebase', '--abort').status).toBe(0)
    execFileSync('bash', ['-c', evil], { cwd: path.join(desk.root, 'r'), stdio: 'ignore' })
    git(desk, 'r', 'rebase', '--continue')
    expect(pwned(desk)).toBe(true)
  })

  test('a rebase without commands continues', async () => {
    using desk = await commandDesk({}, { zones })
    repository(desk)
    expect(await shell(desk, stop)).toBe('')
    expect(await shell(desk, `git ${identity.join(' ')} rebase --continue`)).toBe('')
    expect(git(desk, 'r', 'log', '--format=%s').stdout).toBe('three\ntwo\none\n')
  })

  test('a folder that is laid out like a repository', async () => {
    using desk = await commandDesk({}, { zones })
    repository(desk)
    const config = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n'
    const evil = [
      'mkdir -p docs/objects docs/refs',
      'echo "ref: refs/heads/main" > docs/HEAD',
      `printf '${config}\\tfsmonitor = touch ${desk.root}/r/pwned;false\\n' > docs/config`,
    ].join('; ')
    expect(await shell(desk, evil)).toContain('it made "r/docs/config", a protected name')
    git(desk, 'r/docs', 'status')
    expect(pwned(desk)).toBe(false)
    rmSync(path.join(desk.root, 'r/docs'), { recursive: true })
    execFileSync('bash', ['-c', evil], { cwd: path.join(desk.root, 'r') })
    git(desk, 'r/docs', 'status')
    expect(pwned(desk)).toBe(true)
  })

  test.each([
    [
      'the description of a remote',
      'mkdir -p .git/remotes; echo "URL: ../evil" > .git/remotes/origin',
      '.git/remotes',
    ],
    [
      'the repository of a submodule',
      'mkdir -p .git/modules/m/hooks; echo x > .git/modules/m/hooks/post-checkout',
      '.git/modules',
    ],
    [
      'a worktree that is kept elsewhere',
      'mkdir -p .git/worktrees/w; echo /tmp > .git/worktrees/w/gitdir',
      '.git/worktrees',
    ],
    ['a repository that is kept elsewhere', 'echo /tmp > .git/commondir', '.git/commondir'],
    [
      'objects that are borrowed from elsewhere',
      'echo /etc > .git/objects/info/alternates',
      '.git/objects/info/alternates',
    ],
    ['configuration of a worktree', 'echo "[core]" > .git/config.worktree', '.git/config.worktree'],
    ['submodules', 'echo "[submodule \\"m\\"]" > .gitmodules', '.gitmodules'],
    ['a folder that points to a repository', 'mkdir s; echo "gitdir: ../evil" > s/.git', 's/.git'],
  ])('%s', async (_, script, name) => {
    using desk = await commandDesk({}, { zones })
    repository(desk)
    expect(await shell(desk, script)).toContain(`it made "r/${name}", a protected name, which was`)
    expect(existsSync(path.join(desk.root, 'r', name))).toBe(false)
  })

  test.each([
    ['attributes', 'echo "* filter=evil" > .git/info/attributes', '.git/info/attributes'],
    ['configuration', 'git config filter.evil.smudge evil', '.git/config'],
    ['hooks', 'echo evil > .git/hooks/post-checkout', '.git/hooks/post-checkout'],
  ])('%s: existing files cannot be written to', async (_, script, name) => {
    using desk = await commandDesk({}, { zones })
    repository(desk)
    const at = path.join(desk.root, 'r', name)
    mkdirSync(path.dirname(at), { recursive: true })
    const before = existsSync(at) ? readFileSync(at, 'utf8') : null
    await shell(desk, script)
    expect(existsSync(at) ? readFileSync(at, 'utf8') : null).toBe(before)
    writeFileSync(path.join(desk.root, 'r/a.txt'), 'a\n')
    expect(
      await shell(
        desk,
        `git ${identity.join(' ')} add a.txt && git ${identity.join(' ')} commit -qm a`,
      ),
    ).toBe('')
    expect(git(desk, 'r', 'status', '--porcelain').stdout).toBe('')
  })
})
