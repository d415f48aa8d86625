import { describe, expect, test } from 'vitest'
import type { ShellRule } from '../worker-definition.ts'
import { analyseCommand } from './analyse-command.ts'
import { blockingRule } from './blocked-commands.ts'
import { judgeBy, rule } from './judging.fixture.ts'

function blocking(rules: readonly ShellRule[], script: string): string | null {
  const policy = { default: 'ask', rules, source: 'workers/scribe.md:8' } as const
  const found = blockingRule(policy, analyseCommand({ kind: 'shell', script, cwd: '' }))
  return found?.pattern.join(' ') ?? null
}

const rules = [rule('rm', 'blocked'), rule('git', 'preApproved'), rule('git push', 'blocked')]

describe('the rule that blocks a command', () => {
  test.each(['rm a', 'ls; rm -rf a', 'env rm a', '/bin/rm a', 'echo "$(rm a)"', "sh -c 'rm a'"])(
    'is found exactly when the judge would find it: %s',
    async (script) => {
      expect(blocking(rules, script)).toBe('rm')
      expect((await judgeBy(rules, script)).approval).toBe('blocked')
    },
  )

  test.each(['ls a', 'git status'])('is null for a command that no rule blocks: %s', (script) => {
    expect(blocking(rules, script)).toBeNull()
  })

  test('is null if an earlier rule might pre-approve the command, which depends on the host', () => {
    expect(blocking(rules, 'git push')).toBeNull()
    expect(
      blocking(
        [rules[2], rules[1]].filter((one) => one !== undefined),
        'git push',
      ),
    ).toBe('git push')
  })
})
