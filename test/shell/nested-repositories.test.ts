import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { judgeBy, plainHost, rule } from '#policy/shell/judging.fixture.ts'
import { nestsRepositories } from '#sandbox/git/tracked-paths.ts'
import { newFolder } from '../harness/new-folder.ts'

const rules = [
  'git add',
  'git checkout',
  'git commit -m',
  'git describe',
  'git diff',
  'git log',
  'git status',
  'git switch',
  '/usr/bin/git add',
  'cp',
  'ln',
  'mkdir',
  'mv',
  'nice',
  'npm test',
].map((name) => rule(name, 'preApproved'))

function git(cwd: string, ...words: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }
  return execFileSync('git', words, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/**
 * A repository with another one in it, whose own filter leaves a mark. The index of the outer one
 * does not have it; the branch `with-inner` does.
 */
function openNested() {
  const outer = newFolder('countersign-nested-')
  const inner = path.join(outer, 'inner')
  const mark = path.join(outer, '.git/RAN')
  mkdirSync(inner)
  for (const folder of [outer, inner]) {
    git(folder, 'init', '-q', '-b', 'main', '.')
    git(folder, 'config', 'user.name', 'Ada')
    git(folder, 'config', 'user.email', 'ada@example.com')
    writeFileSync(path.join(folder, 'a.txt'), '1\n')
    git(folder, 'add', 'a.txt')
    git(folder, 'commit', '-qm', 'one')
  }
  const modules = '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n'
  writeFileSync(path.join(outer, '.gitmodules'), modules)
  git(outer, 'add', '.gitmodules')
  git(outer, 'commit', '-qm', 'modules')
  git(outer, 'checkout', '-qb', 'with-inner')
  git(outer, 'add', 'inner')
  git(outer, 'commit', '-qm', 'inner')
  git(outer, 'checkout', '-q', 'main')
  writeFileSync(path.join(inner, 'a.txt'), '2\n')
  writeFileSync(path.join(inner, '.gitattributes'), '*.txt filter=own\n')
  git(inner, 'config', 'filter.own.clean', `touch '${mark}'; cat`)
  const workspace = { root: outer, hidden: [] }
  const host = { ...plainHost, nestsRepositories: async () => nestsRepositories(outer, workspace) }
  return { outer, inner, host, hasRun: () => existsSync(mark) }
}

// Rules: security.md 6
test.each([
  'git add inner && git add .',
  'git add inner && git commit -m x',
  'git checkout with-inner',
  'git switch with-inner',
])(
  'Git looks into a repository that the index does not have yet, and asks before: %s',
  async (script) => {
    const { outer, host, hasRun } = openNested()
    expect(await judgeBy(rules, script, { host })).toMatchObject({ approval: 'ask' })
    for (const command of script.split(' && ')) {
      // As a host runs it that does not know of the inner repository.
      const { printed } = await judgeBy(rules, command)
      if (printed?.kind !== 'shell') throw new Error(`${command} is not pre-approved`)
      expect(hasRun()).toBe(false)
      expect(await judgeBy(rules, command, { host }), command).toMatchObject({
        approval: 'ask',
        rule: { text: expect.stringContaining('repositories within the repository') },
      })
      try {
        execFileSync('bash', ['-c', printed.script], { cwd: outer, stdio: 'ignore' })
      } catch {
        // It may end with an error, such as a commit of nothing.
      }
    }
    expect(hasRun()).toBe(true)
  },
)

// Rules: security.md 6
test('a repository that commands do not see, or that is gone, keeps no command from running by rules', async () => {
  const { host, inner, outer } = openNested()
  const script = 'git add . && git commit -m x'
  const hides = async (...hidden: string[]): Promise<string> => {
    const nests = () => nestsRepositories(path.join(outer, 'src'), { root: outer, hidden })
    const { approval } = await judgeBy(rules, script, {
      host: { ...host, nestsRepositories: nests },
    })
    return approval
  }
  expect([await hides(), await hides('inner'), await hides(inner)]).toEqual([
    'ask',
    'preApproved',
    'preApproved',
  ])
  expect(await judgeBy(rules, 'git status && git log', { host })).toMatchObject({
    approval: 'preApproved',
  })
  renameSync(path.join(inner, '.git'), path.join(inner, 'git'))
  expect(await judgeBy(rules, script, { host })).toMatchObject({ approval: 'preApproved' })
  mkdirSync(path.join(inner, 'deep/er'), { recursive: true })
  writeFileSync(path.join(inner, 'deep/er/.GIT'), 'gitdir: ../../git\n')
  expect(await judgeBy(rules, script, { host })).toMatchObject({ approval: 'ask' })
})

// Rules: security.md 6
test('a repository is found where there is none around it, and where a name is no UTF-8', async () => {
  const root = newFolder('countersign-nested-')
  const nests = () => nestsRepositories(root, { root, hidden: [] })
  expect(await nests()).toBe(false)
  const name = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])])
  mkdirSync(name)
  expect(await nests()).toBe(true)
  renameSync(name, path.join(root, 'plain'))
  expect(await nests()).toBe(false)
  git(path.join(root, 'plain'), 'init', '-q', '.')
  expect(await nests()).toBe(true)
})

// Rules: security.md 6
test.each([
  'mv evil .git && git status',
  'mv evil inner/.git; git add .',
  'cp index .git/index && git add .',
  'ln evil/index .git/index || git log',
  'nice mv evil .git && git status',
  'mv evil .git && nice git status',
  'git status | cp index .git/index',
  'mkdir x && mv evil .git && npm test && git diff',
])('%s: each part is allowed by itself, and the script asks', async (script) => {
  for (const part of script.split(/ ?(?:;|&&|\|\|?) /)) {
    expect(await judgeBy(rules, part), part).toMatchObject({ approval: 'preApproved' })
  }
  expect(await judgeBy(rules, script)).toMatchObject({
    approval: 'ask',
    rule: { id: 'shell:changed-folder' },
  })
})

// Rules: security.md 6
test.each([
  'git add . && git commit -m "two words"',
  'git add . && git commit -m one && git status && git log',
  'mkdir x && git add .',
  'npm test && git add .',
  'git add . && mv a b',
  'git log | nice git describe --always',
])('%s runs by the rules', async (script) => {
  expect(await judgeBy(rules, script)).toMatchObject({ approval: 'preApproved' })
})
