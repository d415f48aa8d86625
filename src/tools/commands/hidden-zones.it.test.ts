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

  test(
    'finds no object of Git when it runs code of the workspace',
    { timeout: 120_000 },
    async () => {
      const show = 'git cat-file blob HEAD:docs/secret.txt || echo "nothing there"\n'
      using desk = await commandDesk(
        { 'docs/secret.txt': 'hidden\n', 'work/show.sh': show },
        { zones },
      )
      const commit =
        'init -q . && git add docs && git -c user.name=a -c user.email=a@b.c commit -qm a'
      execFileSync('bash', ['-c', `git ${commit}`], { cwd: desk.root })
      const input = { command: 'sh show.sh', cwd: 'work' }
      const see = async (hides: readonly string[]) => {
        const printed = { kind: 'shell', hides, script: 'sh show.sh' } as const
        return (await desk.run('shell', input, { printed })).output
      }
      expect(await see([])).toMatchObject({ stdout: 'hidden\n' })
      expect(await see(['docs'])).toMatchObject({ stdout: 'nothing there\n' })
    },
  )

  test('sees it when nothing hides it', async () => {
    using desk = await commandDesk({ 'docs/secret.txt': 'hidden\n', 'a.txt': 'shown\n' }, { zones })
    const printed = { kind: 'shell', hides: [], script } as const
    const ran = await desk.run('shell', { command: script, cwd: 'work' }, { printed })
    expect(JSON.stringify(ran)).toContain('hidden')
  })
})
