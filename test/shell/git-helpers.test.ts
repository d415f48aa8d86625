import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { judgeBy, plainHost, rule, workspaceOf } from '#policy/shell/judging.fixture.ts'
import { nestsRepositories } from '#sandbox/git/tracked-paths.ts'
import { newFolder } from '../harness/new-folder.ts'

/** A repository that names a program of its own wherever git would run one while it only reads. */
const git = (...words: string[]): string =>
  execFileSync('git', words, {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })

const repository = newFolder('countersign-git-')
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

/** What a repository may say in a way that no setting of the call wins over. */
const refused = [
  '[merge "own"]\n\tdriver = x\n',
  '[core]\n[ MERGE "own"] driver = x\n',
  '[hook "own"]\n\tcommand = x\n',
  '[protocol "own"]\n\tallow = always\n',
  '[filter "own"]\n\tclean = x\n',
  '[include]\n\tpath = ../x\n',
  '[trailer "own"]\n\tcommand = x\n',
  '[extensions]\n\tworktreeConfig = true\n',
]

// Rules: security.md 6
test.each(refused)(
  'a repository that names a program by a name of its own asks: %j',
  async (text) => {
    const workspace = workspaceOf({ '.git/config': text })
    const rules = [rule('git log', 'preApproved')]
    expect(await judgeBy(rules, 'git log -p', { workspace })).toMatchObject({ approval: 'ask' })
  },
)

test('settings of merges as such are no program', async () => {
  const workspace = workspaceOf({ '.git/config': '[merge]\n\tconflictStyle = diff3\n' })
  const verdict = await judgeBy([rule('git log', 'preApproved')], 'git log', { workspace })
  expect(verdict).toMatchObject({ approval: 'preApproved' })
})

// Rules: security.md 6
test('a folder whose configuration lies elsewhere asks', async () => {
  const workspace = workspaceOf({ '.git/config': '', '.git/commondir': '../evil\n' })
  const verdict = await judgeBy([rule('git log', 'preApproved')], 'git log', { workspace })
  expect(verdict).toMatchObject({ approval: 'ask' })
})

// Rules: security.md 6
test('a repository within the repository is not looked into, whatever .gitmodules says', async () => {
  const inner = path.join(repository, 'inner')
  const ran = path.join(repository, 'RAN-inner')
  mkdirSync(inner)
  const inside = (...words: string[]): string => git('-C', inner, ...words)
  inside('init', '-q', '.')
  writeFileSync(path.join(inner, '.gitattributes'), '*.txt filter=own\n')
  writeFileSync(path.join(inner, 'b.txt'), '1\n')
  inside('add', '.')
  inside('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'one')
  const head = inside('rev-parse', 'HEAD').trim()
  git('update-index', '--add', '--cacheinfo', `160000,${head},inner`)
  const modules = '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n'
  writeFileSync(path.join(repository, '.gitmodules'), modules)
  inside('config', 'filter.own.clean', `touch '${ran}'; cat`)
  writeFileSync(path.join(inner, 'b.txt'), '2\n')
  for (const command of ['git status', 'git diff', 'git diff HEAD', 'git log -p', 'git show']) {
    const words = command.split(' ')
    const { printed } = await judgeBy([rule(words.slice(0, 2).join(' '), 'preApproved')], words)
    if (printed?.kind !== 'exec') throw new Error(`${command} is not pre-approved`)
    git(...printed.argv.slice(1))
    expect(readdirSync(repository), command).not.toContain('RAN-inner')
  }
  const plain = 'git status --ignore-submodules=none'
  expect(await judgeBy([rule('git status', 'preApproved')], plain)).toMatchObject({
    approval: 'ask',
  })
  const top = { root: repository, hidden: [] }
  const host = {
    ...plainHost,
    nestsRepositories: async () => nestsRepositories(repository, top),
  }
  for (const command of entering) {
    const words = command.split(' ')
    const rules = [rule(command, 'preApproved')]
    expect(await judgeBy(rules, words), command).toMatchObject({ approval: 'preApproved' })
    expect(await judgeBy(rules, words, { host }), command).toMatchObject({
      approval: 'ask',
      rule: { text: expect.stringContaining('repositories within the repository') },
    })
  }
  const describes = ['git', 'describe', '--always', '--dirty']
  const { printed } = await judgeBy([rule('git describe', 'preApproved')], describes)
  if (printed?.kind !== 'exec') throw new Error('git describe is not pre-approved')
  // Git ends at the first difference, before it looks into the inner repository.
  git('update-index', '--assume-unchanged', 'a.txt')
  git(...printed.argv.slice(1))
  expect(readdirSync(repository)).toContain('RAN-inner')
})

/** Git runs in repositories within the repository for these, and no option prevents it. */
const entering = [
  'git describe --always --dirty',
  'git describe --broken',
  'git add .',
  'git add -u',
  'git checkout',
  'git cherry-pick HEAD~1',
  'git rm -n inner',
]

// Rules: security.md 6
test('what would sign asks no program of the repository for a key', async () => {
  const words = ['git', 'commit', '--allow-empty', '-m', 'x']
  git('config', 'commit.gpgSign', 'true')
  git('config', 'gpg.format', 'ssh')
  git('config', 'gpg.ssh.defaultKeyCommand', `touch '${repository}/RAN-key'`)
  const { printed } = await judgeBy([rule(words.join(' '), 'preApproved')], words)
  if (printed?.kind !== 'exec') throw new Error('it is not pre-approved')
  expect(() => git(...printed.argv.slice(1))).toThrow('Command failed')
  expect(readdirSync(repository)).not.toContain('RAN-key')
})

// Rules: security.md 6
test('a name is made, and a file stashed, only where the rule spells it out', async () => {
  const names = ['git branch', 'git tag', 'git stash', 'git reflog', 'tar', 'git branch own']
  const rules = names.map((name) => rule(name, 'preApproved'))
  for (const asks of [
    'git branch new',
    'git tag v1',
    'git branch -v new',
    'git stash',
    'git stash -- list',
    'git stash --stat -- show',
    'git reflog write HEAD HEAD HEAD own',
    'tar x-',
    'tar -xf a',
    'tar -tf h:a',
  ]) {
    expect(await judgeBy(rules, asks), asks).toMatchObject({ approval: 'ask' })
  }
  for (const runs of [
    'git branch',
    'git branch --list new',
    'git tag -l v1',
    'git stash list',
    'git reflog HEAD',
    'git branch own',
    'tar -tf a',
  ]) {
    const own = rules.toReversed()
    expect(await judgeBy(own, runs), runs).toMatchObject({ approval: 'preApproved' })
  }
})

test('an alias of the repository is not pre-approved, whatever a rule names', async () => {
  expect(await judgeBy([rule('git evil', 'preApproved')], 'git evil')).toMatchObject({
    approval: 'ask',
  })
  // Newer versions let an alias stand for a command that is to go.
  expect(await judgeBy([rule('git whatchanged', 'preApproved')], 'git whatchanged')).toMatchObject({
    approval: 'ask',
  })
})
