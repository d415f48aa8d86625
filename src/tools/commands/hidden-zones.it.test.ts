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

  test('finds nothing in a zone that is hidden from it', { timeout: 120_000 }, async () => {
    using desk = await commandDesk({ 'docs/secret.txt': 'hidden\n', 'a.txt': 'shown\n' }, { zones })
    const printed = { kind: 'shell', hides: ['docs'], script } as const
    const ran = await desk.run('shell', { command: script, cwd: 'work' }, { printed })
    expect(JSON.stringify(ran)).not.toContain('hidden')
    expect(ran.output).toMatchObject({ stdout: 'shown\n' })
  })

  test('sees it when nothing hides it', { timeout: 120_000 }, async () => {
    using desk = await commandDesk({ 'docs/secret.txt': 'hidden\n', 'a.txt': 'shown\n' }, { zones })
    const printed = { kind: 'shell', hides: [], script } as const
    const ran = await desk.run('shell', { command: script, cwd: 'work' }, { printed })
    expect(JSON.stringify(ran)).toContain('hidden')
  })
})
