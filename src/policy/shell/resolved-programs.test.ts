import { describe, expect, test } from 'vitest'
import { judgeBy, plainHost, rule } from './judging.fixture.ts'

/** A host on which names are links to other programs, as Debian's alternatives make them. */
function hostWith(links: Readonly<Record<string, string>>) {
  return { ...plainHost, realPath: async (path: string) => links[path] ?? path }
}

const debian = hostWith({
  '/usr/bin/view': '/usr/bin/vim.basic',
  '/usr/bin/look': '/usr/bin/vim.basic',
  '/usr/bin/cat': '/usr/bin/vim.basic',
  '/usr/bin/which': '/usr/bin/which.debianutils',
  '/usr/bin/awk': '/usr/bin/mawk',
  '/usr/bin/ls': '/usr/bin/busybox',
  '/usr/bin/odd': '/usr/bin/busybox',
  '/usr/bin/g': '/usr/bin/git',
  '/usr/bin/h': '/usr/bin/git-2.40',
})

// Rules: security.md 41
describe('a command is judged by the program that will run', () => {
  test.each([
    ['view', "view '+!touch m' '+qa!' x"],
    ['view', 'view x'],
    ['vimdiff', 'vimdiff a b'],
    ['rview', "rview '+!id' x"],
    ['pager', 'pager x'],
    ['perl5.36.0', 'perl5.36.0 x.pl'],
    ['perl5.36.0', 'perl5.36.0 -e 1'],
    ['i386', 'i386 id'],
    ['ssh-agent', 'ssh-agent id'],
    ['run-parts', 'run-parts scripts'],
    ['look', 'look x'],
    ['cat', 'cat x'],
    ['odd', 'odd x'],
    ['unheard-of', 'unheard-of x'],
    ['unheard-of', 'unheard-of @x'],
    ['unheard-of', 'unheard-of +x'],
    ['git checkout', 'git checkout @x'],
    // Without its name, nothing would look for what the repository makes it run.
    ['g status', 'g status'],
    ['g log', 'g log'],
    ['h status', 'h status'],
    ['git-2.40 status', 'git-2.40 status'],
    ['git2 log', 'git2 log'],
    ['git.distrib status', 'git.distrib status'],
    ['sudo-1.9', 'sudo-1.9'],
  ])('a rule "%s" does not allow: %s', async (pattern, script) => {
    expect(await judgeBy([rule(pattern, 'preApproved')], script, { host: debian })).toMatchObject({
      approval: 'ask',
    })
  })

  test.each([
    ['which', 'which node'],
    ['ls', 'ls -l src'],
    ['unheard-of x', 'unheard-of x'],
    ['cat', 'cat @x +y', plainHost],
    ['date', 'date +%F', plainHost],
  ])('a rule "%s" still allows: %s', async (pattern, script, host = debian) => {
    const verdict = await judgeBy([rule(pattern, 'preApproved')], script, { host })
    expect(verdict, verdict.rule.text).toMatchObject({ approval: 'preApproved' })
  })

  test.each([
    ['vim', 'view x'],
    ['vim', 'env vimdiff a b'],
    ['vim', 'ls; /usr/bin/rview x'],
    ['perl', 'perl5.36.0 x'],
    ['python3', 'python3.11 x'],
    ['less', 'cat x | pager'],
    ['rm -rf', 'grm -rf x'],
    ['make', 'gmake x'],
  ])('a block of "%s" applies to its other names: %s', async (pattern, script) => {
    expect(await judgeBy([rule(pattern, 'blocked')], script)).toMatchObject({ approval: 'blocked' })
  })

  const repository = hostWith({
    '/w//bin/t': '/usr/bin/git',
    '/w/docs/t/../t': '/usr/bin/git',
    '/w//bin/e': '/usr/bin/env',
    '/w//bin/s': '/usr/bin/bash',
    '/w//bin/x': '/usr/bin/xargs',
    '/w//bin/f': '/usr/bin/find',
    '/w//bin/b': '/usr/bin/toybox',
    '/w//bin/y': '/usr/bin/systemctl',
    '/w//bin/p': '/usr/lib/git-core/git-push',
    '/usr/bin/g': '/usr/bin/git',
    '/usr/bin/ls': '/usr/bin/busybox',
  })

  test.each([
    ['bin/t push', ''],
    ['bin/t -C x push', ''],
    ['ls; bin/t push', ''],
    ['env A=1 timeout 5 bin/t push', ''],
    ["bash -c 'bin/t push'", ''],
    ['find . -exec bin/t push {} +', ''],
    ['t/../t push', 'docs'],
    ['g push', ''],
    ['bin/e git push', ''],
    ["bin/s -c 'git push'", ''],
    ['bin/x -n1 git push', ''],
    ['bin/t -c alias.y=push y', ''],
    ['echo push | xargs bin/t', ''],
    ["rsync -e 'bin/t push' x y", ''],
    // A linked program runs what another link leads to, in its words or its input.
    ['bin/e bin/t push', ''],
    ['bin/e -i X=1 bin/t push', ''],
    ["bin/e -S 'bin/t push'", ''],
    ["bin/e bin/s -c 'bin/e bin/t push'", ''],
    ["bin/s -c 'bin/t push'", ''],
    ["bin/s <<< 'git push'", ''],
    ['bin/s <<X\ngit push\nX', ''],
    ["echo 'git push' | bin/s", ''],
    ['echo push | bin/x bin/t', ''],
    ['bin/e bin/x bin/t push', ''],
    ['bin/f . -exec bin/t push {} +', ''],
    ["bin/t -c alias.x='!bin/t push' x", ''],
    ['a=bin/t; $a push', ''],
    ['q=bin; $q/t push', ''],
    ['{bin/t,push}', ''],
    [`python3 -c 'os.system("bin/t push")'`, ''],
    // A file with many programs, under a name that the host does not give it.
    ["bin/b sh -c 'git push'", ''],
    // In zsh.
    ['=git push', ''],
    ['noglob =git push', ''],
  ])('a block applies to a link to its program: %s', async (script, cwd) => {
    const host = repository
    const rules = [rule('git push', 'blocked'), rule('busybox', 'blocked')]
    expect(await judgeBy(rules, script, { host, cwd })).toMatchObject({ approval: 'blocked' })
    expect(await judgeBy(rules, script.replace('push', 'log'), { host, cwd })).toMatchObject({
      approval: 'ask',
    })
    expect(await judgeBy(rules, 'ls', { host })).toMatchObject({ approval: 'ask' })
  })

  test.each(['env bin/t bin/e', "sed '1e bin/t bin/e' x", "bin/s -c 'bin/t bin/e'"])(
    'a linked program is blocked with an argument that is a link itself: %s',
    async (script) => {
      const rules = [rule('git bin/e', 'blocked')]
      expect(await judgeBy(rules, script, { host: repository })).toMatchObject({
        approval: 'blocked',
      })
    },
  )

  test('a text whose links lead to ever more links is blocked in the end', async () => {
    const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
    const depths = Array.from({ length: 12 }, (_, depth) => depth)
    const links = depths.map((depth) => [`/w//l/${depth}`, '/usr/bin/bash'])
    const host = hostWith(Object.fromEntries(links))
    const script = depths.reduce((text, depth) => `l/${depth} <<< ${quoted(text)}`, 'git push')
    expect(await judgeBy([rule('git push', 'blocked')], script, { host })).toMatchObject({
      approval: 'blocked',
    })
  })

  test('names that lead to each other in a circle end the search', async () => {
    const host = hostWith({ '/usr/bin/a1b': '/opt/c2d', '/usr/bin/c2d': '/opt/a1b' })
    expect(await judgeBy([rule('git push', 'blocked')], 'a1b push', { host })).toMatchObject({
      approval: 'ask',
    })
  })

  test('a program that the host itself links to a file with many programs is not that file', async () => {
    const host = hostWith({ '/bin/reboot': '/bin/systemctl', '/usr/bin/reboot': '/bin/systemctl' })
    const rules = [rule('systemctl', 'blocked')]
    expect(await judgeBy(rules, '/bin/reboot', { host })).toMatchObject({ approval: 'ask' })
    const inFolder = { host: repository }
    expect(await judgeBy(rules, 'bin/y stop x', inFolder)).toMatchObject({ approval: 'blocked' })
  })

  test('the reason for asking names the program that a link leads to', async () => {
    const verdict = await judgeBy([rule('cat', 'preApproved')], 'cat x', { host: debian })
    expect(verdict.rule.text).toContain('cat is vim.basic, which runs "x"')
  })
})

describe('of the commands that agents write every day', () => {
  const daily = ['echo', 'git status', 'kubectl get', 'kubectl logs'].map((pattern) =>
    rule(pattern, 'preApproved'),
  )

  test.each([
    'echo "---" && git status',
    'echo --- && echo -- && echo -n x',
    'kubectl get pods -n shop -o json',
    'kubectl get -A deployments',
    'kubectl logs web-1 --tail=100',
  ])('this one runs without asking: %s', async (script) => {
    const verdict = await judgeBy(daily, script)
    expect(verdict, verdict.rule.text).toMatchObject({ approval: 'preApproved' })
  })

  test.each([
    'kubectl delete pods x',
    'kubectl get --raw /api',
    'kubectl --token x get pods',
    // Such a file names a program that is run to sign in.
    'kubectl get pods --kubeconfig=notes/k',
    'kubectl --kubeconfig notes/k get pods',
  ])('this one asks: %s', async (script) => {
    const rules = [...daily, rule('kubectl', 'preApproved')]
    expect(await judgeBy(rules, script)).toMatchObject({ approval: 'ask' })
  })

  test('the description of a rule is what an approver reads first', async () => {
    const described = rule('git add', 'ask', { description: 'Stage files for commit' })
    const { rule: decided } = await judgeBy([described], 'git add x')
    expect(decided.text).toBe('Stage files for commit: shell rule "git add" asks')
  })
})
