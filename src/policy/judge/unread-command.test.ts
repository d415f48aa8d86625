import { describe, expect, test } from 'vitest'
import {
  customTool,
  inUsualWorkspace,
  projectWith,
  usualZones,
} from '#test/harness/fixtures/judging.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { plainHost } from '../shell/judging.fixture.ts'

const { judgeBy } = inUsualWorkspace()

const blocks = `shell:
  default: ask
  rules:
    - { pattern: git push, approval: blocked }
    - { pattern: rm -rf, approval: blocked }
    - { pattern: ls, approval: preApproved }`
const noBlocks = 'shell: { default: ask }'

function judged(command: string, front = blocks, runMode: RunMode = 'approve_all', config = '') {
  const project = projectWith(`${usualZones}\n${front}`, `defaults: { queue: platform }\n${config}`)
  const shell = customTool({
    name: 'shell',
    command: (input) => ({ kind: 'shell', script: String(input['command']), cwd: '' }),
  })
  const call = { tool: 'shell', input: { command }, tools: [shell] }
  return judgeBy(project, call, { commandHost: plainHost, runMode })
}

/** Each of them can run `git push` or `rm -rf` without saying so. */
const computed = [
  '$x',
  'x=$(rev <<<hsup); git $x',
  'git "$(echo hsup | rev)"',
  'a=pu; b=sh; git $a$b$c',
  'git -C . $x',
  'rm "$x" y',
  'printf -v x %s g i t; $x push',
  '$((0))git push',
  'eval "$x"',
  'bash -c "$x"',
  'echo Z2l0IHB1c2g= | base64 -d | sh',
  'rev <<<"hsup tig" | bash -s',
  "printf 'gi%s pu%s' t sh | sh",
  "tr a-z b-za <<<'fhs otrg' | env bash -o posix",
  'bash <(base64 -d x)',
  'source <(base64 -d x)',
  'base64 -d x > y; sh y',
  'base64 -d x > y; . ./y',
  'cp x y; chmod +x y; ./y',
  'echo hsup | rev | tee -a y; bash y',
  'ln -s /usr/bin/git ls2; ./ls2 push',
  'PATH=.:$PATH; ls2 push',
  'PATH=. ls2 push',
  'env PATH=. ls2 push',
  'hash -p /usr/bin/git ls2; ls2 push',
  'rev x | xargs git',
  'rev x | xargs -I{} git {}',
  'rev x | xargs -I X X push',
  'rev x | xargs -n2 env',
  'rev x | xargs rm',
  'find . -exec $x {} +',
  'timeout 5 $x',
  `python3 -c 'import os; os.system("gi"+"t pu"+"sh")'`,
  `python3 - <<'E'\nimport os\nE`,
  'rev x | python3',
  `node --eval 'x'`,
  `perl -ne 'x' y`,
  `awk 'BEGIN { system("gi" "t pu" "sh") }'`,
  'rev x | bash -c "sh"',
  'rev x | bash -c "cat; sh"',
  'for f in x; do sh "$f"; done',
  'f() { "$@"; }; f $x',
  'a=($x); "${a[@]}"',
  'git push )', // is blocked: what cannot be parsed is scanned
]

/** Scripts whose text shows everything, or that cannot become something blocked. */
const readable = [
  'cat a | head',
  'git status $x; echo $y',
  'git commit -m "$msg"',
  'for f in *.md; do cat "$f"; done',
  'find . | xargs cat',
  'find . -name x | xargs -I{} cp {} y',
  'npm test',
  'make',
  'sh run.sh',
  'python3 x.py "$a"',
  'python3 -m pytest',
  'node --test',
  "awk '{ print $1 }' x",
  'echo git status | sh',
  "bash -c 'git status'",
  'bash <<E\ngit status\nE',
  'x=1 ls; mkdir -p a/b > c',
  './gradlew build',
  "sed -i 's/a/tree/' x",
]

// Rules: product.md 1, 21
describe('the mode approve_all runs nothing that is blocked', () => {
  test.each(computed)(
    'a person is asked about a text that may compute a blocked command: %s',
    async (text) => {
      const one = await judged(text)
      expect(one.verdict).not.toBe('preApproved')
      if (one.verdict === 'blocked') return
      expect(one).toMatchObject({
        verdict: 'ask',
        reason: expect.stringContaining('"approve_all"'),
      })
      expect(one.routing).not.toBeNull()
      expect(await judged(text, blocks, 'strict')).toMatchObject({ verdict: 'blocked' })
    },
  )

  test.each(readable)('the mode approves a text that can be read: %s', async (text) => {
    expect(await judged(text)).toMatchObject({
      verdict: 'preApproved',
      rule: { id: 'mode:approve_all' },
    })
  })

  test('where nothing is blocked, the mode approves every text', async () => {
    for (const text of ['$x', 'base64 -d x | sh', 'rev x | xargs git']) {
      expect(await judged(text, noBlocks), text).toMatchObject({ verdict: 'preApproved' })
    }
  })

  test('an overlay that blocks a command counts like a rule', async () => {
    const overlay = 'overlays: [{ when: { command: git push }, approval: blocked }]\n'
    const text = 'x=$(rev <<<hsup); git $x'
    expect(await judged(text, noBlocks, 'approve_all', overlay)).toMatchObject({ verdict: 'ask' })
    expect(await judged('cat $x', noBlocks, 'approve_all', overlay)).toMatchObject({
      verdict: 'preApproved',
    })
  })

  test('a blocked command in an option of another program is found in every mode', async () => {
    for (const text of [
      "GIT_PAGER='git push' git -p log",
      "export GIT_EDITOR='git push'; git commit",
      "sed '1e git push' x",
      "sed 's/x/git push/e' x",
      "tar -cf x --checkpoint-action=exec='git push' y",
      "tar -I 'git push' -cf x y",
      "sort --compress-program='git push' x",
      "rg --pre 'git push' x",
      'prlimit --nofile=9 git push',
      'systemd-run --user git push',
      '/lib64/ld-linux-x86-64.so.2 /usr/bin/git push',
      "hyperfine 'git push'",
    ]) {
      expect(await judged(text, blocks, 'prompt'), text).toMatchObject({ verdict: 'blocked' })
    }
  })
})
