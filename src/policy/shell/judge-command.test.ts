import { describe, expect, test } from 'vitest'
import { judgeBy, plainHost, readers, rule, usual, workspaceOf } from './judging.fixture.ts'

// Rules: security.md 1, 2
describe('a command that is understood and completely pre-approved runs as it was analysed (security.md 1, 2)', () => {
  test.each([
    ['ls -la', '/usr/bin/ls -la'],
    ['ls "a b" | head -n 3', "/usr/bin/ls 'a b' | /usr/bin/head -n 3"],
    [
      'cat a && ! cat b; ls || ls c',
      '/usr/bin/cat a && ! /usr/bin/cat b; /usr/bin/ls || /usr/bin/ls c',
    ],
    ['cat a 2>/dev/null 2>&1', '/usr/bin/cat a 2>/dev/null 2>&1'],
    ['c""at a\\ b "$HOME/x"', `/usr/bin/cat 'a b' "$HOME"/x`],
    [`echo 'it'"'"'s' "\\$x"`, `/usr/bin/echo 'it'\\''s' '$x'`],
    ['ls\nls # a remark', '/usr/bin/ls; /usr/bin/ls'],
    ['find . -name "*.md" -not -path "./x/*"', "/usr/bin/find . -name '*.md' -not -path './x/*'"],
  ])('%s', async (script, printed) => {
    const verdict = await judgeBy(usual, script)
    expect(verdict.approval).toBe('preApproved')
    expect(verdict.printed).toEqual({ kind: 'shell', hides: [], script: printed })
  })

  test('a vector keeps its words, whatever they would mean to a shell', async () => {
    const verdict = await judgeBy(usual, ['cat', '$(x)', '*', 'a b'])
    const printed = { kind: 'exec', hides: [], argv: ['/usr/bin/cat', '$(x)', '*', 'a b'] }
    expect(verdict).toMatchObject({ approval: 'preApproved', printed })
  })

  // Rules: security.md 6
  test('git runs without the programs that a repository could make it run', async () => {
    const { printed } = await judgeBy(usual, ['git', 'log', '-p'])
    const argv = printed?.kind === 'exec' ? printed.argv : []
    expect(argv).toContain('core.fsmonitor=false')
    expect(argv).toContain('core.hooksPath=/run/countersign/hooks')
    expect(argv.slice(-5)).toEqual([
      'log',
      '--no-ext-diff',
      '--no-textconv',
      '--ignore-submodules=all',
      '-p',
    ])
  })
})

// Rules: security.md 1, 3, 6
describe('every other command asks or is blocked', () => {
  test('and the reason has the command as it is written, with its file patterns', async () => {
    const verdict = await judgeBy(usual, 'cat *.md a?')
    expect(verdict).toMatchObject({ approval: 'ask', rule: { id: 'shell:default' } })
    expect(verdict.rule.text).toContain('no shell rule allows cat *.md a? (')
  })

  test('and the reason is one line, however long the script of the command is', async () => {
    const script = `set -e\n${'make target\n'.repeat(500)}`
    const { rule: asking } = await judgeBy(usual, ['sh', '-c', script])
    expect(asking.text).toMatch(
      /^no shell rule allows sh -c 'set -e make target .{1,200}: it asks$/,
    )
  })

  test.each([
    ['a substitution', 'ls $(cat a)'],
    ['a backquote', 'ls `cat a`'],
    ['a substitution in quotes', 'ls "$(cat a)"'],
    ['a process substitution', 'cat <(ls)'],
    ['an assignment', 'A=b ls'],
    ['an assignment alone', 'A=b'],
    ['a here-document', 'cat <<E\nx\nE'],
    ['a here-string', 'cat <<<x'],
    ['a file pattern', 'ls *.md'],
    ['a brace expansion', 'ls {a,b}'],
    ['a tilde', 'ls ~'],
    ['a tilde behind an equals sign', 'echo a=~/x'],
    ['the background', 'ls &'],
    ['a function', 'ls() { ls; }; ls'],
    ['a loop', 'for x in a; do ls; done'],
    ['a condition', 'if ls; then ls; fi'],
    ['a case', 'case a in a) ls ;; esac'],
    ['a subshell', '(ls)'],
    ['a group', '{ ls; }'],
    ['a test', '[[ -f a ]]'],
    ['an arithmetic command', '((1))'],
    ['a coprocess', 'coproc ls'],
    ['a redirect to a file', 'ls > a'],
    ['a redirect from a file', 'cat < a'],
    ['a descriptor in a variable', 'ls {fd}>/dev/null'],
    ['an unquoted variable', 'ls $HOME'],
    ['a variable of another name', 'ls "$OTHER"'],
    ['an expansion', 'ls "${HOME:-x}"'],
    ["a quote of the kind $''", "ls $'a'"],
    ['a quote of the kind $""', 'ls $"a"'],
    ['|&', 'ls |& head'],
    ['the word time', 'time ls'],
    ['two exclamation marks', '! ! ls'],
    ['a parse error', 'ls "a'],
    ['a stray operator', 'ls ;; ls'],
    ['what a parser passes over', 'ls( a'],
    ['a carriage return', 'ls a\r'],
    ['an invisible character', 'ls a\u200bb'],
    ['a no-break space', 'ls\u00a0a'],
    ['an escape character', 'ls a\x1b[0m'],
    ['a direction mark', 'ls a\u202eb'],
    ['a private-use character', 'ls a\u{f0001}'],
    ['a backslash before a newline', 'ls a\\\nb'],
    ['nothing at all', '  # a remark'],
    ['more than 50 commands', 'ls;'.repeat(51)],
    ['more than 8 KiB', `ls ${'a'.repeat(8200)}`],
    ['a program that no rule names', 'ls; whoami'],
    ['a name that is a variable', '"$HOME" a'],
    ['another spelling of the name', '/bin/ls'],
    ['a wrapper', 'env ls'],
    ['an alias of git', 'git logs'],
    ['a global option of git', 'git -C x log'],
  ])('%s', async (_title, script) => {
    expect(await judgeBy(usual, script)).toMatchObject({ approval: 'ask', printed: null })
  })

  test('the reason is named, and every simple command is listed', async () => {
    const { lines, rule: decided } = await judgeBy(readers, 'ls; cat a > b')
    expect(decided.text).toMatch(/redirects to something other than/)
    expect(lines.map((line) => line.detail)).toEqual([
      'ls: shell rule "ls" is pre-approved',
      'cat a: shell rule "cat" is pre-approved',
      'it redirects to something other than /dev/null or a descriptor',
    ])
  })

  // Rules: security.md 17
  test.each([
    ['cat "$HOME/x"', '"$HOME"/x is outside of the zones of rule "cat"'],
    ['cat "-x$HOME"', 'the option -x"$HOME", which'],
    ['git "$PWD"', 'no command "$PWD" among'],
    ['git "-$PWD" log', 'the option -"$PWD" before'],
    ['unknown "$HOME"', 'runs "$HOME", which'],
  ])('a reason names a variable as the command does: %s', async (script, reason) => {
    const zones = [rule('cat', 'preApproved', { zones: ['docs'] })]
    const rules = [...zones, rule('git', 'preApproved'), rule('unknown', 'preApproved')]
    const { rule: decidingRule } = await judgeBy(rules, script)
    expect(decidingRule.text).toContain(reason)
  })

  test('if the default is blocked, a command without a rule is blocked, and so is one that cannot be read', async () => {
    for (const script of ['whoami', '$x', 'ls "a', 'ls; whoami', `x ${'a'.repeat(70_000)}`]) {
      expect(await judgeBy(usual, script, { otherwise: 'blocked' })).toMatchObject({
        approval: 'blocked',
      })
    }
    expect(await judgeBy(usual, 'ls > a', { otherwise: 'blocked' })).toMatchObject({
      approval: 'ask',
    })
  })

  test('a text that is nested too deeply to be analysed is blocked', async () => {
    const nested = (depth: number) => `${'echo $('.repeat(depth)}ls${')'.repeat(depth)}`
    expect(await judgeBy(usual, nested(20))).toMatchObject({ approval: 'ask' })
    expect(await judgeBy(usual, nested(60))).toMatchObject({ rule: { id: 'shell:too-deep' } })
  })

  test.each([
    [
      'many functions',
      Array.from({ length: 100 }, (_, n) => `f${n}(){ $1 "$@" $*;};f${n} git`).join(';'),
    ],
    ['many aliases', `git ${'-c alias.a=pull '.repeat(500)}`],
    ['many file patterns', `env ${'g?t* '.repeat(1600)}`],
    ['many values', Array.from({ length: 200 }, (_, n) => `a=x${n}`).join(';')],
    [
      'values that repeat each other',
      `a=${'x'.repeat(20_000)};b=${'$a'.repeat(100)};c=${'$b'.repeat(40)};ls ${'$c'.repeat(4)}`,
    ],
    ['a value of many words, many times', `a='${'x '.repeat(10_000)}'; git ${'$a '.repeat(40)}`],
    ['braces that never close', `git ${'{'.repeat(8000)}`],
  ])('what could mean too much to be looked through is blocked: %s', async (_, script) => {
    const many = Array.from({ length: 150 }, (_, n) => rule(`git s${n} -a --b`, 'blocked'))
    expect(await judgeBy([...usual, ...many], script)).toMatchObject({
      approval: 'blocked',
      rule: { id: 'shell:too-much' },
    })
  })

  test('a blocked command after many words, values or braces is found in spite of the limits', async () => {
    const words = Array.from({ length: 200 }, (_, n) => `w${n}`)
    const values = words.slice(0, 100).map((word) => `a=${word}`)
    for (const script of [
      `{git,push,${words.join(',')}}`,
      `for c in ${words.slice(0, 100).join(' ')} push; do git $c; done`,
      `${values.join(';')};a=push; git $a`,
      `xargs ${words.join(' ')} git push`,
    ]) {
      expect(await judgeBy(usual, script), script).toMatchObject({ approval: 'blocked' })
    }
  })

  test('without a sandbox nothing is pre-approved, and rules still block', async () => {
    const host = { ...plainHost, sandboxProblem: 'bwrap is not installed' }
    const verdict = await judgeBy(usual, 'ls', { host })
    expect(verdict).toMatchObject({
      approval: 'ask',
      printed: null,
      rule: { id: 'shell:no-sandbox' },
    })
    expect(verdict.rule.text).toMatch(/bwrap is not installed/)
    expect(await judgeBy(usual, 'git push', { host })).toMatchObject({ approval: 'blocked' })
  })

  test('a program that the host lacks asks', async () => {
    const host = { ...plainHost, executable: async () => null }
    expect((await judgeBy(usual, 'ls', { host })).rule.text).toMatch(/was not found on this host/)
  })
})

// Rules: security.md 6
describe('git asks if the repository names a program that it would run', () => {
  test.each([
    ['[filter "lfs"]\n\tclean = evil', 'ask'],
    ['[include]\n\tpath = ../x', 'ask'],
    ['[core]\n[FILTER "x"] clean = e', 'ask'],
    ['[extensions]\n\tworktreeConfig = true', 'ask'],
    ['[core]\n\tfsmonitor = evil\n[alias]\n\tx = !evil', 'preApproved'],
  ])('%s', async (config, approval) => {
    const workspace = workspaceOf({ '.git/config': config })
    expect(await judgeBy(usual, 'git status', { workspace, cwd: 'src/deep' })).toMatchObject({
      approval,
    })
  })

  test('git asks if .git is not a folder', async () => {
    const workspace = workspaceOf({ '.git': 'gitdir: ../x' })
    expect(await judgeBy(usual, 'git status', { workspace })).toMatchObject({ approval: 'ask' })
  })
})

test('rules that name the same wrapper are compared once at each level, not with each other', async () => {
  const rules = ['nice', 'nice nice', 'nice nice nice', 'ls'].map((name) =>
    rule(name, 'preApproved'),
  )
  let lookUps = 0
  const executable: typeof plainHost.executable = async (name, cwd) => {
    lookUps += 1
    return plainHost.executable(name, cwd)
  }
  const host = { ...plainHost, executable }
  const depth = 8
  const judge = (last: string) =>
    judgeBy(rules, [...Array<string>(depth).fill('nice'), last], { host })
  expect((await judge('ls')).approval).toBe('preApproved')
  expect((await judge('rm')).approval).toBe('ask')
  expect(lookUps).toBeLessThan(2 * depth * rules.length)
})
