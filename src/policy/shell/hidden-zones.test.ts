import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Zone } from '../worker-definition.ts'
import { judgeBy, plainHost, rule, workspaceOf } from './judging.fixture.ts'

function zone(name: string, root: string, read: 'preApproved' | 'ask' | 'blocked'): Zone {
  const consent = { approval: read, reason: null, source: 'workers/scribe.md:5' }
  return {
    name,
    root,
    mode: 'ro',
    suffixes: null,
    protected: [],
    approval: { read: consent },
    source: 'workers/scribe.md:5',
  }
}

const zones = [
  zone('repo', '', 'preApproved'),
  zone('docs', 'docs', 'ask'),
  zone('hr', 'hr', 'blocked'),
]
const workspace = workspaceOf({ 'docs/secret.txt': 's', 'a.txt': 'a' })
const links = new Map([
  ['/w/link', '/w/docs/secret.txt'],
  ['/w/objects', '/w/.git/objects/ab/cdef'],
])
const host = { ...plainHost, realPath: async (at: string) => links.get(normal(at)) ?? normal(at) }
const normal = (at: string): string => path.resolve(at)
const judge = (rules: Parameters<typeof judgeBy>[0], script: string, cwd = '') =>
  judgeBy(rules, script, { zones, workspace, host, cwd })

const reads = [
  rule('git diff', 'preApproved'),
  rule('cat', 'preApproved'),
  rule('head', 'preApproved'),
]
const names = [rule('cat', 'preApproved', { zones: ['repo', 'docs'] }), rule('head', 'preApproved')]

// Rules: security.md 40
describe('a command that rules alone allow does not see a zone whose reads ask', () => {
  test('the zone is hidden from it, and the explanation says so', async () => {
    const verdict = await judge(reads, 'cat a.txt')
    expect(verdict.printed).toMatchObject({ hides: ['docs', 'hr'] })
    expect(verdict.printedLines).toEqual([
      { outcome: 'runs as', detail: '/usr/bin/cat a.txt' },
      { outcome: 'hides', detail: 'zone docs: its reads ask, and not every rule names it' },
      { outcome: 'hides', detail: 'zone hr: its reads are blocked' },
    ])
  })

  test.each([
    'git diff --no-index /dev/null docs/secret.txt',
    'git diff /dev/null docs/secret.txt',
    'cat docs/secret.txt',
    'cat a.txt link',
    'head docs/secret.txt',
  ])('a command that names a file of the zone asks: %s', async (script) => {
    const verdict = await judge(reads, script)
    expect(verdict).toMatchObject({ approval: 'ask', rule: { id: 'shell:hidden-zone' } })
  })

  test.each([
    'git show HEAD:docs/secret.txt',
    'git log -p',
    'git log -pn1',
    'git log -L1,1:docs/secret.txt',
    'git log -Shidden',
    'git diff',
    'git grep -n x HEAD',
    'git -C . diff HEAD',
    'git status -v',
    "git for-each-ref '--format=%(raw)'",
    "git branch '--format=%(refname) %(*raw)'",
    "git tag -l '--format=%(raw:size) %(raw)'",
    'git for-each-ref --sort=-raw',
    'cat a.txt && git diff',
    'cat .git/objects/ab/cdef',
    'cat objects',
  ])('what Git keeps of its files asks: %s', async (script) => {
    const kept = { ...host, gitHas: async (at: string) => normal(at) === '/w/docs' }
    const rules = [rule('cat', 'preApproved'), rule('git', 'preApproved')]
    const known = { zones, workspace, host: kept, cwd: '' }
    expect(await judgeBy(rules, script, known)).toMatchObject({ approval: 'ask' })
  })

  test('Git runs for commits and names alone, and so does a command whose rule names the zone', async () => {
    const known = { zones, workspace, host: { ...host, gitHas: async () => true }, cwd: '' }
    const plain = [rule('git', 'preApproved')]
    for (const script of [
      'git log --oneline -n 5',
      'git status --short',
      'git branch -a',
      "git for-each-ref '--format=%(refname:short) %(objectname)'",
      'git tag -l --sort=-version:refname',
    ]) {
      expect(await judgeBy(plain, script, known), script).toMatchObject({
        approval: 'preApproved',
        printed: { hides: ['docs', 'hr'] },
      })
    }
    const named = [rule('git', 'preApproved', { zones: ['repo', 'docs'] })]
    const open = { ...known, zones: zones.filter(({ name }) => name !== 'hr') }
    expect(await judgeBy(named, 'git diff', open)).toMatchObject({ approval: 'preApproved' })
  })

  // Rules: product.md 1
  test('a rule that names a zone whose reads are blocked lifts no block', async () => {
    const all = { zones: ['repo', 'docs', 'hr'] }
    const rules = [rule('cat', 'preApproved', all), rule('git', 'preApproved', all)]
    expect(await judge(rules, 'cat a.txt docs/secret.txt')).toMatchObject({
      approval: 'preApproved',
      printed: { hides: ['hr'] },
    })
    const block = { approval: 'blocked', rule: { id: 'zone:hr.read' }, printed: null }
    expect(await judge(rules, 'cat hr/x')).toMatchObject(block)
    expect(await judge(rules, 'cat x', 'hr')).toMatchObject(block)
    const kept = { ...host, gitHas: async () => true }
    expect(await judgeBy(rules, 'git diff', { zones, workspace, host: kept })).toMatchObject(block)
  })

  // Rules: product.md 1
  test.each(['grep hr a.txt', 'grep -n hr/x a.txt', 'rg -e hr a.txt', 'timeout 5 grep hr a.txt'])(
    'a pattern blocks no command that rules allow: %s',
    async (script) => {
      const allowed = ['grep', 'rg', 'timeout'].map((name) => rule(name, 'preApproved'))
      expect(await judge(allowed, script)).toMatchObject({
        approval: 'preApproved',
        printed: { hides: ['docs', 'hr'] },
      })
      const reading = [...allowed, rule('cat', 'preApproved')]
      expect(await judge(reading, `${script}; cat hr/x`)).toMatchObject({
        approval: 'blocked',
        rule: { id: 'zone:hr.read' },
      })
    },
  )

  const readersOfAll = ['grep', 'rg', 'jq', 'tar', 'find', 'date', 'echo', 'timeout']

  // Rules: product.md 1
  test.each([
    'grep a hr/x',
    'grep -e a hr',
    'rg a hr',
    'grep -r a a.txt ./hr',
    'grep hr hr',
    'grep -f hr/x a.txt',
    'grep "$HOME" hr/x',
    'rg -f hr/x a.txt',
    'jq --indent 2 . hr/x.json',
    'jq --arg a b . hr/x.json',
    'timeout 5 grep a hr/x',
    'find . -newer hr/x',
    'date -r hr/x',
    'tar -tf hr/x',
    'echo hr',
  ])('a word that may be a path of the zone blocks what rules allow: %s', async (script) => {
    const allowed = readersOfAll.map((name) => rule(name, 'preApproved'))
    expect(await judge(allowed, script)).toMatchObject({ rule: { id: 'zone:hr.read' } })
  })

  test('a command whose working folder lies in the zone asks', async () => {
    expect(await judge(reads, 'cat x', 'docs')).toMatchObject({ approval: 'ask' })
  })

  test('a command whose rule names the zone sees this zone and no other hidden one', async () => {
    const verdict = await judge(names, 'cat docs/secret.txt')
    expect(verdict).toMatchObject({ approval: 'preApproved', printed: { hides: ['hr'] } })
  })

  test('all parts of a text run in one sandbox, so each part’s rule must name the zone', async () => {
    expect(await judge(names, 'cat docs/secret.txt | head')).toMatchObject({ approval: 'ask' })
    expect(await judge(names, 'cat a.txt | head')).toMatchObject({
      approval: 'preApproved',
      printed: { hides: ['docs', 'hr'] },
    })
  })

  test('in a wrapper the rule of the inner command decides', async () => {
    const rules = [...names, rule('timeout', 'preApproved')]
    expect(await judge(rules, 'timeout 5 cat docs/secret.txt')).toMatchObject({
      approval: 'preApproved',
      printed: { hides: ['hr'] },
    })
    expect(await judge(rules, 'timeout 5 head docs/secret.txt')).toMatchObject({ approval: 'ask' })
  })
})

// Rules: product.md 1
describe('a command that asks and reads a zone whose reads are blocked is blocked', () => {
  const plain = zones.map((one) =>
    one.name === 'docs' ? zone('docs', 'docs', 'preApproved') : one,
  )
  const verdictOn = (command: string | readonly string[], cwd = '') =>
    judgeBy([rule('git log', 'preApproved')], command, { zones: plain, workspace, host, cwd })
  const block = { approval: 'blocked', rule: { id: 'zone:hr.read' }, printed: null }

  test.each([
    'cat hr/x',
    'cat -n a.txt hr/x',
    'head -n 5 ../w/hr/x',
    'cat /w/hr/x | sort',
    'cat hr/*',
    'cat hr/{x,y}',
    'echo "$(cat hr/x)"',
    'if true; then grep -r pay hr; fi',
    'grep -e pay hr/x',
    'grep -repay hr',
    'rg -tmake -e pay hr',
    'rg -rpay -n docs hr',
    'rg --files hr',
    "jq -r '.[]' hr/x",
    'uniq -c hr/x out',
    'command cat hr/x',
    `awk 'BEGIN { FS = "," } { print $1 }' hr/x`,
    "sed -n '1p' hr/x",
    'ls hr',
    'find hr -name x',
    'cp -r hr out',
    'mv hr/x a.txt',
    'python3 < hr/x',
    'python3 hr/x.py',
    './hr/run',
    'timeout 5 cat hr/x',
    'sudo cat hr/x',
    "bash -lc 'cd /w && cat hr/x'",
    'cd hr && ls',
    'cd docs && cat ../hr/x',
    'unknown-program; awk 1 hr/x',
  ])('%s', async (script) => {
    expect(await verdictOn(script)).toMatchObject(block)
  })

  test('as an argument vector, through a link, and in a working folder of the zone', async () => {
    expect(await verdictOn(['cat', 'hr/x'])).toMatchObject(block)
    expect(await verdictOn(['bash', '-c', 'cat hr/x'])).toMatchObject(block)
    expect(await verdictOn('make', 'hr')).toMatchObject(block)
    const linked = { ...host, realPath: async (at: string) => at.replace('/w//l', '/w/hr') }
    const known = { zones: plain, workspace, host: linked }
    expect(await judgeBy([], 'cat l/x', known)).toMatchObject(block)
  })

  test.each([
    'echo hr/x',
    'git commit -m hr/x',
    'grep -rn hr/x docs',
    'grep -rn hr docs',
    "sed -i 's/a/b/' a.txt",
    'unknown-program hr/x',
    'cat <<EOF\ncat hr/x\nEOF',
    'echo done > hr/log',
    'cp a.txt hr/x',
    'cd docs && cat hr/x',
    'cd docs || cat hr/x',
    '(cd docs); cat hr/x; cd hr',
    'head --unknown hr docs',
    "jq --arg dept hr '.[]' data.json",
    "jq -n --args '$ARGS' hr",
    'rg -ttypescript hr docs',
    'rg -tmake hr docs',
    'grep -drecurse hr docs',
    'uniq a.txt hr/log',
    'command cd docs && cat hr/x',
    'builtin cd docs; cat hr/x',
    'eval "cd docs"; cat hr/x',
    `awk 'BEGIN { if (1) { print "a" } }' hr/x`,
    'F=hr/x; cat "$F"',
    'ls .',
    "git log --grep 'cat hr/x' && rm -rf out",
  ])('but one that only mentions a name of it, or may mean another, asks: %s', async (script) => {
    expect(await verdictOn(script)).toMatchObject({ approval: 'ask' })
  })

  test('many equal paths are looked up once each, and only where a zone’s reads are blocked', async () => {
    const asked: string[] = []
    const counting = {
      ...host,
      realPath: async (at: string) => {
        asked.push(at)
        return at
      },
    }
    const lines = Array.from({ length: 40 }, () => "bash -c 'cat {1..9}{1..9}'").join('\n')
    const known = { zones: plain, workspace, host: counting }
    expect(await judgeBy([], lines, known)).toMatchObject({ approval: 'ask' })
    expect(asked.filter((at) => at.endsWith('/11'))).toHaveLength(1)
    asked.length = 0
    await judgeBy([], lines, { ...known, zones: plain.filter(({ name }) => name !== 'hr') })
    expect(asked.filter((at) => at.endsWith('/11'))).toEqual([])
  })

  test('and more than 1,000 paths beside such a zone are too many', async () => {
    const folders = [...'abcdefghijklm'].map((name) => `ls ${name}{1..9}{1..9}`)
    const script = `bash -c '${folders.join('; ')}'`
    const tooMuch = { approval: 'blocked', rule: { id: 'shell:too-much' } }
    expect(await verdictOn(script)).toMatchObject(tooMuch)
    const without = plain.filter(({ name }) => name !== 'hr')
    expect(await judgeBy([], script, { zones: without, workspace, host })).toMatchObject({
      approval: 'ask',
    })
  })
})

// Rules: security.md 40
describe('a search that names no file reads its folder, which its rule must name', () => {
  const rules = ['grep', 'rg'].map((name) => rule(name, 'preApproved', { zones: ['docs'] }))
  const search = (script: string) =>
    judgeBy(rules, script, { zones: zones.slice(0, 2), workspace, host })

  test.each([
    'grep -r docs/secret',
    'grep -Rn docs/secret',
    'grep --recursive -e docs/secret',
    'grep -d recurse docs/secret',
    'rg docs/secret',
    'rg -e docs/secret',
  ])('though its pattern reads like a path of a zone: %s', async (script) => {
    expect(await search(script)).toMatchObject({
      approval: 'ask',
      rule: { text: expect.stringContaining('its folder is outside of the zones') },
    })
  })

  test.each(['grep -r docs/secret docs', 'rg docs/secret docs', 'grep -r -e secret docs'])(
    'and runs alone on a folder of such a zone: %s',
    async (script) => {
      expect(await search(script)).toMatchObject({ approval: 'preApproved' })
    },
  )
})

// Rules: security.md 40
describe('a filter that names no file reads its input, whatever zones its rule names', () => {
  const filters = ['cat', 'head', 'tail', 'wc', 'nl', 'cut', 'tr', 'sort', 'uniq'].map((name) =>
    rule(name, 'preApproved', { zones: ['repo'] }),
  )
  const rules = [rule('git log', 'preApproved'), rule('ls', 'preApproved', { zones: ['repo'] })]
  const filter = (script: string) => judge([...rules, ...filters], script)

  test.each([
    'git log | cat',
    'git log | head -3 | tail -n 1',
    'git log | nl | cut -d : -f 2 | tr a b | sort | uniq -c | wc -l',
  ])('%s', async (script) => {
    expect(await filter(script)).toMatchObject({ approval: 'preApproved' })
  })

  test.each(['git log | cat .', 'git log | head docs/secret.txt', 'cat a.txt docs', 'ls'])(
    'and asks for a folder or file of a zone that it does not name: %s',
    async (script) => {
      expect(await filter(script)).toMatchObject({ approval: 'ask' })
    },
  )
})
