import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../analyse-command.ts'
import { judgeBy, rule } from '../judging.fixture.ts'
import { programNames } from '../programs/program-names.ts'
import { whyUnread } from '../blocked-commands.ts'

const rules = [rule('git push', 'blocked'), rule('rm -rf', 'blocked')]
const patterns = rules.map(({ pattern }) => pattern)

/** Why a script is left to a person in every mode; `null` when it is not. */
function unread(script: string): string | null {
  return whyUnread(patterns, analyseCommand({ kind: 'shell', script, cwd: '' }))
}

// Rules: security.md 5
describe('a blocked command is found', () => {
  test.each([
    'echo push | timeout 5 xargs git',
    "env xargs env <<< 'git push'",
    "nice -n 5 xargs -n 9 env < <(echo 'git push')",
    'printf "rm -rf x" | nohup xargs env A=b',
  ])('in what xargs is handed behind another wrapper: %s', async (script) => {
    expect((await judgeBy(rules, script)).approval).toBe('blocked')
  })

  test.each([
    "alias x='git -C . push'\nx",
    'alias x="git p\'us\'h"\nx',
    'alias a=ls x=\'r\\m "-rf" x\'\nx',
    'bash -c "alias x=\'git --no-pager push\'\nx"',
  ])('in the value of an alias, however it is spelled: %s', async (script) => {
    expect((await judgeBy(rules, script)).approval).toBe('blocked')
  })

  test.each(["sh -c 'git -c a.{b=c,} push'", "sh -c 'git -C {a,b} push'", 'git -C {a,} push'])(
    'whether the shell that runs it expands braces or not: %s',
    async (script) => {
      expect((await judgeBy(rules, script)).approval).toBe('blocked')
    },
  )
})

// Rules: security.md 27
test.each([`/${'e'.repeat(60_000)}!`, `/${'e'.repeat(30_000)}${' '.repeat(30_000)}x`])(
  'the time to search a long script of sed grows linearly with its length',
  async (script) => {
    const argv = ['sed', '-n', script]
    const analysis = analyseCommand({ kind: 'exec', argv, cwd: '' })
    expect(whyUnread(patterns, analysis)).toBeNull()
  },
)

test.each(['1', '.', '-1'])(
  'a long operand is searched quickly too, such as many of %s',
  async (one) => {
    const argv = ['cat', `${one.repeat(200_000)}x`]
    expect((await judgeBy(rules, argv)).approval).not.toBe('blocked')
  },
)

test('a name that is too long for a file stands for no other name', () => {
  expect(programNames('a.b.b')).toEqual(['a.b.b', 'a.b', 'a'])
  expect(programNames(`a${'.b'.repeat(30_000)}`)).toHaveLength(1)
})

// Rules: product.md 21
describe('every mode leaves a script to a person', () => {
  test.each(['alias g=git\ng push', 'command alias x=y', 'builtin alias g=git; g status'])(
    'that gives a name another meaning: %s',
    (script) => {
      expect(unread(script)).toBe('it gives a name another meaning')
    },
  )

  test.each(['cp x a; ./a', './a; cp x a', './b; ./a; cp x a; cp y a', './a; ls > a'])(
    'that runs a file which another command may write: %s',
    (script) => {
      expect(unread(script)).toBe('it runs "a", which it may write itself')
    },
  )

  test('but not one whose file only its own words name', () => {
    expect(unread('./a a; ./b; cat a')).toBeNull()
  })

  test('but not a script that only contains the word', () => {
    expect(unread('grep alias b.md')).toBeNull()
    expect(unread('export A="b c"')).toBeNull()
  })
})
