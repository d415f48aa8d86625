import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { commandDesk, testSandbox } from './commands.fixture.ts'

const zones = `
  - { name: repo, root: ., mode: ro }
  - { name: docs, root: docs, mode: ro, approval: { read: ask } }
  - { name: work, root: work, mode: rw }`

// Rules: security.md 40
describe.skipIf(!testSandbox.works)('a command that rules alone allow', () => {
  const script =
    '/usr/bin/git diff --no-index /dev/null ../docs/secret.txt; ls -A ../docs; cat ../a.txt'

  test('finds nothing in a zone that is hidden from it', async () => {
    using desk = await commandDesk({ 'docs/secret.txt': 'hidden\n', 'a.txt': 'shown\n' }, { zones })
    const printed = { kind: 'shell', hides: ['docs'], script } as const
    const ran = await desk.run('shell', { command: script, cwd: 'work' }, { printed })
    expect(JSON.stringify(ran)).not.toContain('hidden')
    expect(ran.output).toMatchObject({ stdout: 'shown\n' })
  })

  const inSource = zones.replace('root: docs', 'root: src/a/docs').replace('mode: ro', 'mode: rw')

  test.each([
    ['the folder of the workspace', '', 'mv src dst; mv src/a src/b; ls src/a/docs'],
    ['a zone beside it', 'work', 'mv ../src ../dst; mv ../src/a ../src/b; ls ../src/a/docs'],
  ])('moves no folder around a hidden zone, in %s', async (_where, cwd, text) => {
    const files = { 'src/a/docs/secret.txt': 'hidden\n', 'src/a/b.txt': 'shown\n' }
    using desk = await commandDesk(files, { zones: inSource })
    const printed = { kind: 'shell', hides: ['docs'], script: text } as const
    const ran = await desk.run('shell', { command: text, cwd }, { printed })
    const { stdout, stderr } = ran.output as { stdout: string; stderr: string }
    expect(stdout).toBe('')
    expect(stderr.match(/busy/g)).toHaveLength(2)
    expect(desk.text('src/a/docs/secret.txt')).toBe('hidden\n')
    expect(desk.text('src/a/b.txt')).toBe('shown\n')
    const change = `echo more >> ${cwd === '' ? '' : '../'}src/a/b.txt`
    await desk.run('shell', { command: change, cwd }, { printed: { ...printed, script: change } })
    expect(desk.text('src/a/b.txt')).toBe('shown\nmore\n')
  })

  test('makes no zone writable that is only read, by a move of the folder around it', async () => {
    const read = inSource.replace(', approval: { read: ask }', '')
    using desk = await commandDesk({ 'src/a/docs/x.txt': 'as it was\n' }, { zones: read })
    const text = 'mv src dst; echo changed > dst/a/docs/x.txt; echo changed > src/a/docs/x.txt'
    await desk.run('shell', { command: text, cwd: '' })
    expect(desk.text('src/a/docs/x.txt')).toBe('as it was\n')
  })

  const identity = '-c user.name=a -c user.email=a@b.c'
  const apart = '--separate-git-dir'
  test.each([
    {
      where: 'the repository of the workspace',
      commit: `git init -q . && git add docs && git ${identity} commit -qm a`,
      show: 'git cat-file blob HEAD:docs/secret.txt',
    },
    {
      where: 'a repository in a folder of the workspace',
      root: 'app/docs',
      commit: `git init -q app && cd app && git add docs && git ${identity} commit -qm a`,
      show: 'git -C ../app cat-file blob HEAD:docs/secret.txt',
    },
    {
      where: 'the Git folder of a submodule',
      commit: `git init -q . && mkdir .git/modules && git init -q ${apart} .git/modules/docs docs && cd docs && git add . && git ${identity} commit -qm a`,
      show: 'git --git-dir ../.git/modules/docs cat-file blob HEAD:secret.txt',
    },
    {
      where: 'a Git folder of another name',
      root: 'app/docs',
      commit: `git init -q ${apart} store app && cd app && git add . && git ${identity} commit -qm a`,
      show: 'git --git-dir ../store cat-file blob HEAD:docs/secret.txt',
    },
    {
      where: 'a Git folder whose objects are behind a link',
      commit: `git init -q . && git add docs && git ${identity} commit -qm a && mv .git/objects objects && ln -s ../objects .git/objects`,
      show: 'git cat-file blob HEAD:docs/secret.txt',
    },
  ])(
    'finds no object of Git in $where when it runs code of the workspace',
    { timeout: 120_000 },
    async ({ commit, show, root = 'docs' }) => {
      using desk = await commandDesk(
        {
          [`${root}/secret.txt`]: 'hidden\n',
          'work/show.sh': `${show} || echo "nothing there"\n`,
        },
        { zones: zones.replace('root: docs', `root: ${root}`) },
      )
      execFileSync('bash', ['-c', commit], { cwd: desk.root })
      const input = { command: 'sh show.sh', cwd: 'work' }
      const see = async (hides: readonly string[]) => {
        const printed = { kind: 'shell', hides, script: 'sh show.sh' } as const
        return (await desk.run('shell', input, { printed })).output
      }
      expect(await see([])).toMatchObject({ stdout: 'hidden\n' })
      expect(await see(['docs'])).toMatchObject({ stdout: 'nothing there\n' })
    },
  )

  test('cannot write Countersign’s own files in a zone that begins in a protected folder of a hidden one', async () => {
    using desk = await commandDesk(
      { 'node_modules/@s/a/x.js': 'old\n' },
      {
        zones: `
  - { name: packs, root: node_modules, mode: rw, approval: { read: ask } }
  - { name: work, root: work, mode: rw }
  - { name: inner, root: node_modules/@s/a, mode: rw }`,
      },
    )
    const script = 'echo evil > ../node_modules/@s/a/x.js; cat ../node_modules/@s/a/x.js'
    const printed = { kind: 'shell', hides: ['packs'], script } as const
    const ran = await desk.run('shell', { command: script, cwd: 'work' }, { printed })
    expect(ran.output).toMatchObject({ stdout: 'old\n' })
    expect(desk.text('node_modules/@s/a/x.js')).toBe('old\n')
  })

  const blocked = zones.replace('read: ask', 'read: blocked')
  const desks = {
    blocked: async (files: Readonly<Record<string, string>> = {}) => {
      const desk = await commandDesk(
        { 'docs/secret.txt': 'hidden\n', 'a.txt': 'shown\n', ...files },
        { zones: blocked },
      )
      const inFolder = (script: string): string =>
        execFileSync('bash', ['-c', script], { cwd: desk.root, encoding: 'utf8' })
      return Object.assign(desk, { inFolder })
    },
  }

  const inFolderOf = (root: string) => (command: string) =>
    execFileSync('/bin/sh', ['-c', command], { cwd: root, encoding: 'utf8' })
  const blockedDocs = `
  - { name: repo, root: ., mode: rw }
  - { name: docs, root: docs, mode: rw, approval: { read: blocked } }
  - { name: keys, root: docs/keys, mode: rw, approval: { read: blocked } }`

  test('and an approved checkout that changes such a zone in the index says that the disk has other files', async () => {
    using desk = await commandDesk({ 'docs/x': 'one\n', 'a.txt': 'a\n' }, { zones: blockedDocs })
    const git = inFolderOf(desk.root)
    git(`git init -q -b main . && git add . && git ${identity} commit -qm one`)
    git(`git checkout -qb other && echo two > docs/x && git ${identity} commit -qam two`)
    git('git checkout -q main')
    const quiet = await desk.run('shell', { command: 'git status --porcelain', cwd: '' })
    expect(quiet.text).not.toContain('git restore')
    const ran = await desk.run('shell', { command: 'git checkout -q other', cwd: '' })
    expect(ran.text).toContain("Git's index may have other files of zone docs now")
    expect(ran.text).toContain('git restore -- docs')
    expect(desk.text('docs/x')).toBe('one\n')
  })

  test('and a file that a sparse checkout keeps off the disk stays so for an approved command', async () => {
    using desk = await commandDesk({ 'docs/x': 'x\n', 'docs/y': 'y\n' }, { zones: blockedDocs })
    const git = inFolderOf(desk.root)
    git(`git init -q . && git add . && git ${identity} commit -qm one`)
    git('git update-index --skip-worktree docs/x && rm docs/x')
    const ran = await desk.run('shell', { command: 'git add -A; ls docs', cwd: '' })
    expect(ran.output).toMatchObject({ exitCode: 0, stdout: 'y\n' })
    expect(git('git ls-files -t docs/x')).toBe('S docs/x\n')
  })

  test('and a blocked zone in another one stops no approved command', async () => {
    const files = { 'docs/x': 'x\n', 'docs/keys/key': 'secret\n', '.gitignore': 'docs/keys\n' }
    using desk = await commandDesk(files, { zones: blockedDocs })
    const git = inFolderOf(desk.root)
    git(`git init -q . && git add . && git ${identity} commit -qm one`)
    const ran = await desk.run('shell', { command: 'cat docs/x; ls -A docs', cwd: '' })
    expect(ran.output).toMatchObject({ exitCode: 0, stdout: 'x\nx\n' })
    git('git rm -q --cached docs/x')
    const without = await desk.run('shell', { command: 'ls -A docs', cwd: '' })
    expect(without.output).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('and a removal that a person has staged stays one after `git add -A`', async () => {
    const files = { 'docs/x': 'x\n', 'docs/y': 'y\n', 'a.txt': 'a\n' }
    using desk = await commandDesk(files, { zones: blockedDocs })
    const git = inFolderOf(desk.root)
    git(`git init -q . && git add . && git ${identity} commit -qm one && git rm -q docs/x`)
    const command = `echo b > a.txt && git add -A && git ${identity} commit -qm two`
    const ran = await desk.run('shell', { command, cwd: '' })
    expect(ran.output).toMatchObject({ exitCode: 0 })
    expect(git('git show --format= --name-status')).toContain('D\tdocs/x\n')
  })

  // Rules: product.md 37
  test.each(['rm .git/index', 'git rm -rq --cached .', 'git read-tree --empty'])(
    'and a commit after `%s` removes no file of such a zone',
    async (before) => {
      using desk = await commandDesk({ 'docs/x': 'one\n', 'a.txt': 'a\n' }, { zones: blockedDocs })
      const git = inFolderOf(desk.root)
      git('git init -q . && echo .countersign > .git/info/exclude && git add .')
      git(`git ${identity} commit -qm one`)
      expect((await desk.run('shell', { command: before, cwd: '' })).output).toMatchObject({
        exitCode: 0,
      })
      const command = `echo b > a.txt && git add -A && git ${identity} commit -qm two`
      const ran = await desk.run('shell', { command, cwd: '' })
      expect(ran.output).toMatchObject({ exitCode: 0 })
      expect(ran.text).not.toContain('git restore')
      expect(git('git show --format= --name-status')).toBe('M\ta.txt\n')
    },
  )

  test('and where Git cannot give files that can be written no approved command begins', async () => {
    using desk = await commandDesk({ 'docs/x': 'x\n' }, { zones: blockedDocs })
    const git = inFolderOf(desk.root)
    git('git init -q . && git add . && : > empty')
    const blob = git('git hash-object -w empty').trim()
    git(`git update-index --add --cacheinfo 120000,${blob},docs/link`)
    const { text } = await desk.run('shell', { command: 'true', cwd: '' })
    expect(text).toContain('No command runs beside zone docs')
  })

  // Rules: product.md 1, 37
  test('and one that a person approved sees in a zone whose reads are blocked only what Git has', async () => {
    using desk = await desks.blocked({ 'docs/own/b.sh': 'as in Git\n' })
    const read = {
      command: 'cat ../docs/secret.txt ../docs/own/b.sh; cat ../a.txt; ls -A ../docs',
      cwd: 'work',
    }
    expect((await desk.run('shell', read)).output).toMatchObject({ stdout: 'shown\n' })
    desk.inFolder('git init -q .')
    expect((await desk.run('shell', read)).output).toMatchObject({ stdout: 'shown\n' })
    const link = 'ln -s secret.txt docs/own/link; chmod +x docs/own/b.sh'
    desk.inFolder(`${link}; git add a.txt docs/own; echo changed >> docs/own/b.sh`)
    const stdout = 'as in Git\nshown\nown\n'
    expect((await desk.run('shell', read)).output).toMatchObject({ stdout })
    const write = { command: 'git status --porcelain; touch docs/x; cat docs/own/link', cwd: '' }
    expect((await desk.run('shell', write)).output).toMatchObject({
      stdout: expect.not.stringMatching(/^.[DMT]/m),
      stderr: expect.stringMatching(/Read-only file system[^]*No such file/),
    })
    desk.inFolder('git update-index --split-index')
    expect((await desk.run('shell', read)).output).toMatchObject({ stdout })
  })

  // Rules: product.md 1
  test('and one that a person approved sees no more of such a zone after the index was written', async () => {
    using desk = await desks.blocked()
    desk.inFolder('git init -q . && git add a.txt')
    const blob = desk.inFolder('git rev-parse :a.txt').trim()
    const read = { command: 'cat ../docs/*', cwd: 'work' }
    desk.inFolder(`git update-index --add --cacheinfo 100644,${blob},docs/secret.txt`)
    desk.inFolder(`git update-index --add --cacheinfo 100644,${blob},docs/other.txt`)
    expect((await desk.run('shell', read)).output).toMatchObject({ stdout: 'shown\nshown\n' })
    desk.inFolder(`git update-index --add --cacheinfo 100644,${'1'.repeat(40)},docs/none.txt`)
    expect((await desk.run('shell', read)).text).toBe(
      'No command runs beside zone docs, whose reads are blocked, because Git has not all objects of it.',
    )
  })

  // Rules: product.md 1
  test('and one that a person approved runs beside a blocked zone that has another zone in it', async () => {
    using desk = await commandDesk(
      { 'docs/secret.txt': 'hidden\n', 'docs/open/b.txt': 'open\n', 'a.txt': 'shown\n' },
      {
        zones: `${zones.replace('read: ask', 'read: blocked')}
  - { name: open, root: docs/open, mode: rw }`,
      },
    )
    const read = { command: 'cat docs/secret.txt docs/open/b.txt a.txt', cwd: '' }
    expect((await desk.run('shell', read)).output).toMatchObject({ stdout: 'shown\n' })
    expect((await desk.run('shell', { command: 'ls', cwd: 'docs/open' })).text).toBe(
      'The working folder docs/open is in a zone that this command cannot see',
    )
  })

  test('reads a zone that nothing hides', async () => {
    using desk = await commandDesk({ 'docs/secret.txt': 'hidden\n', 'a.txt': 'shown\n' }, { zones })
    const printed = { kind: 'shell', hides: [], script } as const
    const ran = await desk.run('shell', { command: script, cwd: 'work' }, { printed })
    expect(JSON.stringify(ran)).toContain('hidden')
  })
})
