import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgeBy, rule } from '../../src/policy/shell/judging.fixture.ts'

/** A repository that names a program of its own wherever git would run one while it only reads. */
let repository = ''
const git = (...words: string[]): string =>
  execFileSync('git', words, {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })

beforeAll(() => {
  repository = mkdtempSync(path.join(tmpdir(), 'countersign-git-'))
  const write = (name: string, text: string, mode = 0o644): void =>
    writeFileSync(path.join(repository, name), text, { mode })
  git('init', '-q', '.')
  write('a.txt', '1\n')
  write('.gitattributes', '*.txt diff=own\n')
  git('add', '.')
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  git(...author, 'commit', '-qm', 'one')
  write('a.txt', '2\n')
  git(...author, 'commit', '-qam', 'two')
  write('a.txt', '3\n')
  const own = path.join(repository, 'own.sh')
  write('own.sh', `#!/bin/sh\ntouch '${repository}/RAN-program'\n`, 0o755)
  const settings = [
    'core.fsmonitor',
    'core.pager',
    'core.editor',
    'core.sshCommand',
    'core.alternateRefsCommand',
    'diff.external',
    'diff.own.textconv',
    'diff.own.command',
    'gpg.program',
    'pager.log',
    'pager.status',
    'alias.evil',
  ]
  for (const setting of settings) git('config', setting, setting === 'alias.evil' ? `!${own}` : own)
  git('config', 'log.showSignature', 'true')
  mkdirSync(path.join(repository, 'hooks'))
  git('config', 'core.hooksPath', path.join(repository, 'hooks'))
  write('hooks/post-index-change', `#!/bin/sh\ntouch '${repository}/RAN-hook'\n`, 0o755)
})
afterAll(() => rmSync(repository, { recursive: true, force: true }))

const commands = [
  'git log -p',
  'git log --oneline -n 2',
  'git log --format=%G?',
  'git status',
  'git status --short',
  'git diff',
  'git diff --cached',
  'git show',
  'git show --stat HEAD~1',
  'git blame a.txt',
  'git grep -n 3',
  'git branch -vv',
  'git tag -l',
  'git stash list',
  'git describe --always --dirty',
  'git ls-files -m',
  'git rev-parse HEAD',
  'git shortlog -s HEAD',
  'git reflog',
  'git for-each-ref',
  'git diff-tree -p HEAD',
  'git remote -v',
]

// Rules: security.md 6
test('a pre-approved git runs nothing that the repository names', async () => {
  for (const command of commands) {
    const words = command.split(' ')
    const { printed } = await judgeBy([rule(words.slice(0, 2).join(' '), 'preApproved')], words)
    if (printed?.kind !== 'exec') throw new Error(`${command} is not pre-approved`)
    git(...printed.argv.slice(1))
    const ran = readdirSync(repository).filter((name) => name.startsWith('RAN-'))
    expect(ran, command).toEqual([])
  }
  // The same repository, without what is switched off.
  git('status')
  expect(readdirSync(repository)).toContain('RAN-program')
})

test('an alias of the repository is not pre-approved, whatever a rule names', async () => {
  expect(await judgeBy([rule('git evil', 'preApproved')], 'git evil')).toMatchObject({
    word: 'ask',
  })
})
