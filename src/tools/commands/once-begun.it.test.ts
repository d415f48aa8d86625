import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { SmallDisk } from '#test/harness/outages/small-disk.ts'
import { commandDesk, testSandbox } from './commands.fixture.ts'

const zones = `
  - { name: repo, root: ., mode: rw }
  - { name: docs, root: docs, mode: rw, approval: { read: blocked } }`
const identity = '-c user.name=a -c user.email=a@b.c'

// Rules: product.md 14; security.md 8
describe.skipIf(!testSandbox.works)('a command that has run', () => {
  // After it, Git is asked in a sandbox about the zone that the command did not see.
  test.each([
    ['that moves a folder with a key', 'mv app app2'],
    ['that moves a folder with a key and makes another', 'mv app app2; mkdir app'],
  ])('%s is not told as one that did not begin', async (_which, change) => {
    using desk = await commandDesk({ 'docs/x': 'one\n', 'app/.env': 'KEY=1\n' }, { zones })
    const script = `git init -q -b main . && git add docs && git ${identity} commit -qm one`
    execFileSync('/bin/sh', ['-c', script], { cwd: desk.root })
    const command = `echo run >> ran; ${change}; echo done`
    const ran = await desk.run('shell', { command, cwd: '' })
    expect(desk.text('ran')).toBe('run\n')
    expect(ran).toMatchObject({ exitCode: 0, output: { stdout: 'done\n' } })
    expect(ran.violation).toBe('it renamed "app/.env", a protected name, which was put back')
    expect(desk.text('app/.env')).toBe('KEY=1\n')
  })

  test('keeps its end where Git cannot be asked afterwards, for whatever reason', async () => {
    const host = { ...testSandbox }
    using desk = await commandDesk({ 'docs/x': 'one\n' }, { zones, host })
    const script = `git init -q -b main . && git add docs && git ${identity} commit -qm one`
    execFileSync('/bin/sh', ['-c', script], { cwd: desk.root })
    const command = 'touch begun; while [ ! -e go ]; do sleep 0.02; done; echo done'
    const running = desk.run('shell', { command, cwd: '' })
    await expect
      .poll(() => existsSync(path.join(desk.root, 'begun')), { timeout: 60_000 })
      .toBe(true)
    // No process can have this name: to start it throws.
    Object.assign(host, { bwrap: 'no\0program' })
    desk.put('go', '')
    const ran = await running
    expect(ran).toMatchObject({ exitCode: 0, output: { stdout: 'done\n' } })
    expect(ran.text).toContain("Git's index may have other files of zone docs now")
  })
})

// Rules: product.md 4; security.md 42
describe.skipIf(!testSandbox.works)('a command that the system does not let begin', () => {
  test('is told as one that did not begin, without a wrong reason', async () => {
    using desk = await commandDesk({ '.countersign/snapshots': 'no folder\n' })
    expect(await desk.run('shell', { command: 'echo x > ran', cwd: 'work' })).toMatchObject({
      type: 'error',
      text: 'The command was not begun: the system refused what it needs (EEXIST).',
    })
    expect(existsSync(path.join(desk.root, 'work/ran'))).toBe(false)
  })
})

// Rules: product.md 4; security.md 42
describe.skipIf(!testSandbox.works)('a command whose data folder is full', () => {
  test.for([
    ['names a file', 'cat a.txt; echo x > ran'],
    ['names none', 'echo x > ran'],
  ] as const)(
    'and that %s is told as not begun, and leaves no record',
    async ([, command], { skip }) => {
      const dataDir = newFolder('full-')
      await using disk = await SmallDisk.at(dataDir)
      if (disk === null) return skip('this machine permits no mount')
      writeFileSync(path.join(dataDir, 'other'), 'full\n')
      using desk = await commandDesk({ 'work/a.txt': 'a'.repeat(100_000) }, { dataDir })
      const ran = await disk.whileFull(() => desk.run('shell', { command, cwd: 'work' }))
      expect(ran).toMatchObject({
        type: 'error',
        text: 'The command was not begun: the data folder cannot be written to (ENOSPC).',
      })
      expect(existsSync(path.join(desk.root, 'work/ran'))).toBe(false)
      const records = path.join(dataDir, 'commands')
      expect(existsSync(records) ? readdirSync(records) : []).toEqual([])
      expect(await desk.shell(command)).toMatchObject({ exitCode: 0 })
    },
  )
})
