import { expect, test } from 'vitest'
import { parseProject } from './parse-project.ts'

const base = `version: 1
teams:
  platform: { members: [ada@example.com, grace@example.com] }
queues:
  platform: { team: platform, expiresAfter: 72h }
defaults: { queue: platform }
`

/** What a folder is warned of, as `file:line problem; remedy`. */
function warnings(more: { config?: string; queue?: string; worker?: string } = {}): string[] {
  const config = base.replace('expiresAfter: 72h', more.queue ?? 'expiresAfter: 72h')
  const parsed = parseProject({
    texts: new Map([
      ['countersign.yaml', `${config}${more.config ?? ''}`],
      ['workers/scribe.md', `---\nmodel: anthropic:x\n${more.worker ?? ''}\n---\nWrite.\n`],
    ]),
    toolFiles: [],
  })
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems, null, 1))
  return parsed.warnings.map((one) => `${one.file}:${one.line} ${one.problem}; ${one.remedy}`)
}

const zone = 'zones: [{ name: all, root: ., mode: rw }]'
const shell = (...rules: string[]): string =>
  `${zone}\nshell:\n  rules:\n${rules.map((rule) => `    - { ${rule} }`).join('\n')}`

test('a folder without anything odd is warned of nothing', () => {
  const worker = shell(
    'pattern: git push --force, approval: blocked',
    'pattern: git push, approval: ask',
    'pattern: find, approval: preApproved, unlessArgs: [-exec, -delete]',
    'pattern: find, approval: ask',
    'pattern: cat, approval: preApproved, zones: [all]',
    'pattern: cat, approval: ask',
  )
  const config = `routing:
  - { when: { path: "infra/**", tool: write_file }, risk: high }
  - { when: { path: "infra/**" }, risk: medium }
  - { when: { worker: scribe }, risk: low }
`
  expect(warnings({ worker, config })).toEqual([])
})

test('a shell rule behind one that matches all it does is pointed out', () => {
  const worker = shell(
    'pattern: git, approval: preApproved',
    'pattern: git reset --hard, approval: blocked',
  )
  expect(warnings({ worker })).toEqual([
    'workers/scribe.md:7 rule "git reset --hard" decides no plain command: rule "git" comes first and matches all it does; put the more particular rule first',
  ])
})

test.each([
  ['git log | head', '| stands between commands'],
  ['git fetch && git merge', '&& stands between commands'],
  ['ls > out.txt', '> stands between commands'],
  ['make 2>&1', '2>&1 is a redirect'],
  ['git log "--oneline"', '"--oneline" is compared with its quotes'],
  ['rm *.log', '*.log is compared letter by letter: patterns have no wildcards'],
  ['cat $HOME', '$HOME is compared letter by letter: nothing is expanded'],
])('a pattern that no plain command is: %s', (pattern, why) => {
  const rule = `pattern: ${JSON.stringify(pattern)}, approval: ask`
  expect(warnings({ worker: shell(rule) })).toEqual([
    expect.stringContaining(`rule "${pattern}" never matches a plain command: ${why}`),
  ])
})

test('a program that is never pre-approved is pointed out where a rule pre-approves it', () => {
  const worker = shell(
    'pattern: sudo apt, approval: preApproved',
    'pattern: /usr/bin/sudo, approval: ask',
  )
  expect(warnings({ worker })).toEqual([
    expect.stringMatching(/rule "sudo apt" pre-approves nothing: sudo .*; write `approval: ask`/),
  ])
})

test('arguments in unlessArgs that are no flags are pointed out', () => {
  const worker = shell('pattern: find, approval: preApproved, unlessArgs: [exec]')
  expect(warnings({ worker })).toEqual([
    expect.stringMatching(/"exec" in "unlessArgs" is not a flag; .* like "-exec"/),
  ])
})

test('shell rules of a worker without a zone, and words on tools it does not have', () => {
  expect(warnings({ worker: 'shell: { default: ask }' })).toEqual([
    expect.stringContaining('no zone in which a command could run; give it a zone'),
  ])
  const worker = 'tools: { write_file: { approval: ask }, shell: {}, call_worker: {} }'
  expect(warnings({ worker })).toEqual([
    expect.stringContaining('the tool "write_file": it needs "zones"'),
    expect.stringContaining('the tool "shell": it needs "shell"'),
    expect.stringContaining('the tool "call_worker": it needs "workers"'),
  ])
})

test('zones of one root that say different things, and protected names where nothing is written', () => {
  const worker = `zones:
  - { name: a, root: ., mode: rw }
  - { name: b, root: ./, mode: ro }
  - { name: c, root: ., mode: rw }
  - { name: d, root: docs, mode: ro, protected: [".github/**"] }`
  expect(warnings({ worker })).toEqual([
    expect.stringMatching(/^workers\/scribe.md:5 zones "a" and "b" have the same root.*stricter/),
    expect.stringMatching(/^workers\/scribe.md:7 zone "d" is read-only, so its "protected"/),
  ])
})

test('a routing entry behind one that matches all it does is pointed out', () => {
  const entries = (...whens: string[]): string =>
    `routing:\n${whens.map((when) => `  - { when: ${when}, risk: high }\n`).join('')}`
  const idle = [
    ['{}', '{ tool: shell }'],
    ['{ path: "infra/**" }', '{ path: "infra/prod/*.tf", tool: write_file }'],
    ['{ tool: "*_file" }', '{ tool: [write_file, edit_file] }'],
    ['{ command: git }', '{ command: git push }'],
  ] as const
  for (const [first, second] of idle) {
    expect(warnings({ config: entries(first, second) }), second).toEqual([
      expect.stringContaining('routing entry 2 never counts: countersign.yaml:8 comes first'),
    ])
  }
  const alive = [
    ['{ tool: write_file }', '{}'],
    ['{ path: "infra/*" }', '{ path: "infra/**" }'],
    ['{ tool: write_file }', '{ tool: [write_file, edit_file] }'],
    ['{ path: "a/**", risk: high }', '{ path: "a/**" }'],
    ['{ command: git push }', '{ command: git }'],
  ] as const
  for (const [first, second] of alive) {
    expect(warnings({ config: entries(first, second) }), second).toEqual([])
  }
})

test('what a queue would do after its requests have expired, and a count above its team', () => {
  expect(warnings({ queue: 'expiresAfter: 4h, remindAfter: [1h, 4h]' })).toEqual([
    expect.stringContaining('queue "platform" reminds nobody before its requests have expired'),
  ])
  expect(
    warnings({ queue: 'expiresAfter: 4h, escalate: [{ after: 1d, addTeams: [platform] }]' }),
  ).toEqual([expect.stringContaining('escalates to nobody')])
  expect(warnings({ config: 'routing: [{ when: {}, quorum: { count: 3 } }]\n' })).toEqual([
    expect.stringContaining('the quorum needs more people than its teams have'),
  ])
})
