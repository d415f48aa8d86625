import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandDesk, testSandbox } from './commands.fixture.ts'

// Rules: security.md 8
describe.skipIf(!testSandbox.works)('protected names', () => {
  const open = '\n  - { name: all, root: ., mode: rw }'

  test('that exist cannot be changed, and git can still commit', async () => {
    using desk = await commandDesk(
      { '.bashrc': 'old\n', '.github/workflows/ci.yml': 'old\n' },
      { zones: open },
    )
    const git = 'git -c user.name=a -c user.email=a@example.com'
    const prepared = spawn('git', ['init', '-q', desk.root], { stdio: 'ignore' })
    await new Promise((resolve) => prepared.once('close', resolve))
    const before = readFileSync(path.join(desk.root, '.git/config'), 'utf8')
    const ran = await desk.run('shell', {
      command: `echo x > .bashrc; rm .bashrc; mv .bashrc b; echo x > .github/workflows/ci.yml; echo x > .git/hooks/pre-commit; git config core.pager evil; mv .git other; echo new > n.txt; ${git} add n.txt && ${git} commit -qm one && echo COMMITTED`,
      cwd: '',
    })
    expect(ran.type, ran.text).toBe('output')
    expect((ran.output as { stdout: string }).stdout).toBe('COMMITTED\n')
    expect(desk.text('.bashrc')).toBe('old\n')
    expect(desk.text('.github/workflows/ci.yml')).toBe('old\n')
    expect(readFileSync(path.join(desk.root, '.git/config'), 'utf8')).toBe(before)
    expect(existsSync(path.join(desk.root, '.git/hooks/pre-commit'))).toBe(false)
  })

  test.each([
    [
      'hooks for later',
      'mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/pre-commit',
      'sub/.git',
    ],
    ['a start-up file', 'echo evil > .bashrc', '.bashrc'],
    ['an environment file by another spelling', 'echo evil > .ENV', '.ENV'],
    ['a look-alike', "mkdir '.gіt'", '.gіt'],
    [
      'an editor’s tasks',
      'mkdir deep deep/.vscode; echo {} > deep/.vscode/tasks.json',
      'deep/.vscode',
    ],
    ['a link', 'ln -s /etc .claude', '.claude'],
    ['a configuration of Cargo', 'mkdir .cargo; echo evil > .cargo/config.toml', '.cargo'],
    [
      'a program that Yarn runs',
      'mkdir -p .yarn/releases; echo evil > .yarn/releases/yarn.cjs',
      '.yarn/releases',
    ],
  ])(
    '%s: a name that a command made is removed, and the command has failed',
    async (_, script, name) => {
      using desk = await commandDesk({}, { zones: open })
      const ran = await desk.shell(`${script}; true`)
      const at = `work/${name}`
      expect(ran.violation).toContain(
        `it made ${JSON.stringify(at)}, a protected name, which was removed`,
      )
      expect(existsSync(path.join(desk.root, at))).toBe(false)
      expect(ran.text).toContain('broke a rule')
    },
  )

  test('that a command renamed with the folder around them are put back', async () => {
    using desk = await commandDesk({ 'repo/.bashrc': 'old\n', 'repo/a': 'a\n' }, { zones: open })
    const ran = await desk.run('shell', {
      command: 'mv repo gone; mkdir repo; echo evil > repo/.bashrc',
      cwd: '',
    })
    expect(ran.violation).toContain('which was put back')
    expect(ran.violation).toContain('it made "repo/.bashrc", a protected name, which was removed')
    expect(desk.text('repo/.bashrc')).toBe('old\n')
  })

  test.each(['workers/evil.md', 'tools/evil.ts', 'node_modules/pack/index.js'])(
    'of Countersign itself cannot be made, not even while the command runs: %s',
    async (at) => {
      using desk = await commandDesk({}, { zones: open })
      const folder = path.dirname(at)
      const ran = await desk.run('shell', {
        command: `mkdir -p ${folder} 2>&1; echo evil 2>&1 > ${at}; rm -rf ${folder} 2>&1; mv ${folder} work/away 2>&1; cat ${at}; ls work`,
        cwd: '',
      })
      const { stdout } = ran.output as { stdout: string }
      expect(stdout).toMatch(/\na.txt\nkept\n$/)
      expect(stdout).not.toContain('evil\n')
      expect(ran.violation).toBeUndefined()
      expect(existsSync(path.join(desk.root, at))).toBe(false)
    },
  )

  test('of thousands of installed files cannot be changed, and the command begins all the same', async () => {
    const names = Array.from({ length: 3500 }, (_, at) => `node_modules/pack/${at}.js`)
    const installed = Object.fromEntries(names.map((name) => [name, 'old\n']))
    const files = { ...installed, 'node_modules/pack/.env': 'A=1', '.VSCode/a': 'old\n' }
    using desk = await commandDesk(files, { zones: open })
    const command = `echo evil >> ${names[3499]}; mv node_modules/pack away; mv node_modules away; cat node_modules/pack/.env; echo evil > .VSCode/b; chmod a+w node_modules/pack; ln ${names[1]} linked; ls; echo BEGAN`
    const ran = await desk.run('shell', { command, cwd: '' })
    const { stdout } = ran.output as { stdout: string }
    expect(stdout, ran.text).toBe('away\nnode_modules\ntools\nwork\nworkers\nBEGAN\n')
    expect(ran.violation).toBeUndefined()
    expect(desk.text(names[3499] ?? '')).toBe('old\n')
    expect(readdirSync(path.join(desk.root, '.VSCode'))).toEqual(['a'])
  })

  test.each([
    ['package.json', '{"imports":{}}'],
    ['package-lock.json', '{}'],
    ['yarn.lock', ''],
    ['pnpm-lock.yaml', ''],
  ])('%s beside countersign.yaml is not made, changed or replaced', async (name, old) => {
    using desk = await commandDesk({ 'sub/package.json': '{}' }, { zones: open })
    const made = await desk.run('shell', { command: `echo evil > ${name}`, cwd: '' })
    expect(made.violation).toContain(`it made "${name}", a protected name, which was removed`)
    writeFileSync(path.join(desk.root, name), old)
    const command = `echo evil >> ${name}; rm ${name}; echo evil > n; mv n ${name}; echo mine > sub/package.json`
    const ran = await desk.run('shell', { command, cwd: '' })
    expect(ran.violation).toBeUndefined()
    expect([desk.text(name), desk.text('sub/package.json')]).toEqual([old, 'mine\n'])
  })

  test('that a zone lists are the command’s to write', async () => {
    using desk = await commandDesk(
      {},
      {
        zones: '\n  - { name: all, root: ., mode: rw, protected: [".github/**"] }',
      },
    )
    const ran = await desk.run('shell', {
      command: 'mkdir -p .github/workflows; echo new > .github/workflows/ci.yml',
      cwd: '',
    })
    expect(ran.violation).toBeUndefined()
    expect(desk.text('.github/workflows/ci.yml')).toBe('new\n')
  })

  test('are removed after a command that ran out of time, too', async () => {
    using desk = await commandDesk({}, { zones: open })
    const ran = await desk.shell('echo evil > .bashrc; sleep 300', { timeoutSeconds: 1 })
    expect(ran).toMatchObject({ timedOut: true, violation: expect.stringContaining('.bashrc') })
    expect(existsSync(path.join(desk.root, 'work/.bashrc'))).toBe(false)
  })

  test('in any number are all removed, and counted in a text of bounded length', async () => {
    using desk = await commandDesk({}, { zones: open })
    const ran = await desk.shell('for i in $(seq 3000); do echo evil > .env.$i; done')
    expect(ran.violation).toContain('; and 2980 more like these')
    expect(readdirSync(path.join(desk.root, 'work')).toSorted()).toEqual(['a.txt', 'kept'])
  })

  test('a key that a person wrote meanwhile is no violation', async () => {
    using desk = await commandDesk({}, { zones: '\n  - { name: work, root: work, mode: ro }' })
    writeFileSync(path.join(desk.root, 'work/.env'), 'A=1\n')
    expect((await desk.shell('true')).violation).toBeUndefined()
  })
})
