import { describe, expect, test } from 'vitest'
import { judgeBy, rule } from './judging.fixture.ts'

// Rules: security.md 1
describe('first match wins, one blocked blocks all', () => {
  test('rules are compared in their order, for each simple command separately', async () => {
    const rules = [rule('git status', 'preApproved'), rule('git', 'blocked'), rule('ls', 'ask')]
    expect(await judgeBy(rules, 'git status')).toMatchObject({ approval: 'preApproved' })
    expect(await judgeBy(rules, 'git log')).toMatchObject({ approval: 'blocked' })
    expect(await judgeBy(rules, 'git status; ls')).toMatchObject({
      approval: 'ask',
      rule: { id: 'shell:ls' },
    })
    expect(await judgeBy(rules, 'git status && ls && git fetch')).toMatchObject({
      approval: 'blocked',
      rule: { id: 'shell:git', source: 'workers/scribe.md:9' },
    })
    const reversed = [rule('git', 'ask'), rule('git push', 'blocked')]
    expect(await judgeBy(reversed, 'git push')).toMatchObject({ approval: 'ask' })
  })

  test('a pattern consists of whole words', async () => {
    const rules = [rule('git status', 'preApproved')]
    for (const script of ['gitx status', 'git statusx', 'git', 'status git']) {
      expect(await judgeBy(rules, script)).toMatchObject({ approval: 'ask' })
    }
  })

  test('a vector that runs a text is judged by that text too, and the default applies to the vector only', async () => {
    const rules = [rule('bash', 'ask'), rule('git push', 'blocked')]
    const blockedToo = ['bash', '-c', 'ls && git push']
    expect(await judgeBy(rules, blockedToo)).toMatchObject({ approval: 'blocked' })
    const other = { otherwise: 'blocked' } as const
    expect(await judgeBy(rules, ['bash', '-c', 'ls x'], other)).toMatchObject({ approval: 'ask' })
    expect(await judgeBy(rules, ['ls', 'x'], other)).toMatchObject({ approval: 'blocked' })
  })

  test('unlessArgs excludes a command from its rule, in every form of a flag', async () => {
    const rules = [rule('tool a', 'preApproved', { unlessArgs: ['-o', '--output', 'push'] })]
    expect(await judgeBy(rules, 'tool a')).toMatchObject({ approval: 'preApproved' })
    for (const script of [
      'tool a -o',
      'tool a -oF',
      'tool a -xo F',
      'tool a --output F',
      'tool a --output=F',
      'tool a --outp=F',
      'tool a push',
      'tool a push=x',
    ]) {
      const verdict = await judgeBy(rules, script)
      expect(verdict, script).toMatchObject({ approval: 'ask' })
      expect(verdict.rule.text, script).toMatch(/does not speak of/)
    }
  })

  // Rules: security.md 5
  test('a rule for a wrapper needs another one for the command in it', async () => {
    const rules = [
      rule('timeout', 'preApproved'),
      rule('ls', 'preApproved'),
      rule('env', 'preApproved'),
    ]
    const ran = await judgeBy(rules, 'timeout -k 5 60 ls -l')
    expect(ran.printed).toEqual({
      kind: 'shell',
      hides: [],
      script: '/usr/bin/timeout -k 5 60 /usr/bin/ls -l',
    })
    for (const script of [
      'timeout 5 cat a',
      'timeout --odd 5 ls',
      'env A=b ls',
      'env -S ls',
      'timeout 5',
      'env',
    ]) {
      expect(await judgeBy(rules, script), script).toMatchObject({ approval: 'ask' })
    }
  })

  // Rules: security.md 3, 5
  test('sudo, doas, xargs and builtins of the shell are never pre-approved', async () => {
    for (const name of [
      'sudo',
      'doas',
      'xargs',
      'eval',
      'exec',
      'command',
      'cd',
      'export',
      'read',
      '.',
    ]) {
      const verdict = await judgeBy(
        [rule(`${name} ls`, 'preApproved'), rule(name, 'preApproved'), rule('ls', 'preApproved')],
        `${name} a`,
      )
      expect(verdict, name).toMatchObject({ approval: 'ask' })
    }
  })

  // Rules: security.md 6
  test('programs that run code are pre-approved only if the rule spells the code out', async () => {
    const rules = [
      rule('node scripts/build.js', 'preApproved'),
      rule('npm test', 'preApproved'),
      rule('npm run', 'preApproved'),
      rule('python3', 'preApproved'),
    ]
    for (const script of ['node scripts/build.js', 'npm test', 'python3 --version']) {
      expect(await judgeBy(rules, script), script).toMatchObject({ approval: 'preApproved' })
    }
    for (const script of [
      'npm run evil',
      'python3 a.py',
      'python3 -c x',
      'node scripts/build.js --eval x',
      'npm test -- x',
    ]) {
      expect(await judgeBy(rules, script), script).toMatchObject({ approval: 'ask' })
    }
  })
})
