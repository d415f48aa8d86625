import { expect, test } from 'vitest'
import { parseProject } from '../parse-project.ts'

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
  ).toContainEqual(expect.stringContaining('escalates to nobody'))
  expect(warnings({ config: 'routing: [{ when: {}, quorum: { count: 3 } }]\n' })).toEqual([
    expect.stringContaining('the quorum needs more people than its teams have'),
  ])
})

test.each([
  ['git push *', '* is compared letter by letter: patterns have no wildcards'],
  ['FOO=1 make', 'FOO=1 is an assignment, which is no program'],
])('a command of a routing entry that no plain command is: %s', (command, why) => {
  const config = `routing: [{ when: { command: "${command}" } }]\n`
  expect(warnings({ config })).toEqual([
    `countersign.yaml:7 "routing[0].when.command" never matches a plain command: ${why}; write words like "git push"`,
  ])
})

test('conditions that no call meets together are pointed out, in routing and overlays', () => {
  const when = '{ tool: [read_file, "*_notify"], command: git push }'
  const config = `routing: [{ when: ${when} }]\noverlays: [{ when: ${when}, approval: ask }]\n`
  const why = 'no call matches: "command" is about exec and shell, "tool" names read_file, *_notify'
  expect(warnings({ config })).toEqual([
    `countersign.yaml:7 ${why}; leave one of them out`,
    `countersign.yaml:8 ${why}; leave one of them out`,
  ])
  expect(warnings({ config: 'routing: [{ when: { tool: "sh*", command: git push } }]\n' })).toEqual(
    [],
  )
})

test.each([
  ['infra/', 'matches "infra" alone; write "infra/**" for what lies in it'],
  ['infra/[a', 'has a bracket that is not closed, and is compared letter by letter; close it'],
])('a path that means less than it seems to: %s', (path, why) => {
  expect(warnings({ config: `routing: [{ when: { path: "${path}" } }]\n` })).toEqual([
    `countersign.yaml:7 "routing[0].when.path" ${why}`,
  ])
})

test('a quorum counts people, not seats: who is in two teams fills one place', () => {
  const teams =
    'teams:\n  one: { members: [ada@example.com] }\n  two: { members: [ada@example.com] }\n'
  const both = 'routing: [{ when: {}, quorum: { allOf: [{ team: one }, { team: two }] } }]\n'
  const twice =
    'routing: [{ when: {}, quorum: { allOf: [{ team: platform }, { team: platform, count: 2 }] } }]\n'
  const lacking =
    'the quorum needs more people than its teams have; add members, or lower the counts'
  const parse = (routing: string): readonly string[] => {
    const text = base.replace('teams:\n', teams) + routing
    const parsed = parseProject({ texts: new Map([['countersign.yaml', text]]), toolFiles: [] })
    return 'warnings' in parsed ? parsed.warnings.map((one) => `${one.problem}; ${one.remedy}`) : []
  }
  expect(parse(both)).toEqual([lacking])
  expect(parse(twice)).toEqual([lacking])
  expect(parse(both.replace('team: two', 'team: platform'))).toEqual([])
})

test.each([
  ['platform', 'is asked from the start'],
  ['nobody', 'has no members'],
])('an escalation that adds nobody is pointed out: team %s', (team, why) => {
  const config = 'workspaces: { default: { root: . } }\n'
  const queue = `expiresAfter: 72h, escalate: [{ after: 1h, addTeams: ${team} }]`
  const parsed = parseProject({
    texts: new Map([
      [
        'countersign.yaml',
        `${base.replace('expiresAfter: 72h', queue).replace('queues:', '  nobody: {}\nqueues:')}${config}`,
      ],
    ]),
    toolFiles: [],
  })
  expect('warnings' in parsed && parsed.warnings.map((one) => one.problem)).toEqual([
    `queue "platform" escalates to team "${team}", which ${why}`,
  ])
})

test('a quorum without a place of the queue’s team is pointed out where the queue would escalate', () => {
  const queue = 'expiresAfter: 72h, escalate: [{ after: 1h, addTeams: [security] }]'
  const texts = (places: string) =>
    new Map([
      [
        'countersign.yaml',
        `${base.replace('expiresAfter: 72h', queue).replace('queues:', '  security: { members: [edsger@example.com] }\n  legal: { members: [lea@example.com] }\nqueues:')}routing: [{ when: {}, queue: platform, quorum: { allOf: [${places}] } }]\n`,
      ],
    ])
  const told = (places: string) => {
    const parsed = parseProject({ texts: texts(places), toolFiles: [] })
    return 'warnings' in parsed ? parsed.warnings.map((one) => one.problem) : parsed.problems
  }
  expect(told('{ team: legal }')).toEqual([
    'the quorum has no place of team "platform", so queue "platform" escalates none of these requests',
  ])
  expect(told('{ team: legal }, { team: platform }')).toEqual([])
})

test('names that differ in case only are pointed out', () => {
  const worker = `zones: [{ name: a, root: ., mode: rw }, { name: A, root: b }]
mcpServers: { x: { command: y }, X: { command: y } }`
  expect(warnings({ worker })).toEqual([
    'workers/scribe.md:3 "zones[1]" differs from "a" in case only; rename one of them',
    'workers/scribe.md:4 "mcpServers.X" differs from "x" in case only; rename one of them',
  ])
  const config = 'workspaces: { other: { root: elsewhere } }\n'
  expect(warnings({ config })).toEqual([
    'countersign.yaml:7 "workspaces.other" is never used: workers work in "default"; remove it',
  ])
})

test.each(['~/notes', '$HOME/notes', 'notes/*'])(
  'a zone whose root is meant to stand for something is pointed out: %s',
  (root) => {
    expect(warnings({ worker: `zones: [{ name: a, root: "${root}" }]` })).toEqual([
      expect.stringContaining('the folder is called so; write the name of the folder'),
    ])
  },
)

test.each([
  ['create_worker: { approval: preApproved }', '"create_worker" asks always'],
  ['ask_person: { approval: preApproved }', '"ask_person" asks always'],
  ['deploy: { manual: true, approval: blocked }', '"deploy" is for people to invoke, and blocked'],
  ['write_file: { approval: preApproved }', '"write_file" is pre-approved by its zones alone'],
])('a word on a tool that never counts, or contradicts another: %s', (tool, why) => {
  expect(warnings({ worker: `${zone}\ntools:\n  ${tool}` })).toEqual([
    expect.stringContaining(`worker "scribe": ${why}`),
  ])
})

test('a worker that may call itself, and one without instructions, are pointed out', () => {
  expect(warnings({ worker: 'workers: [scribe]' })).toEqual([
    expect.stringContaining('worker "scribe" may call itself, which is refused'),
  ])
  const texts = new Map([
    ['countersign.yaml', base],
    ['workers/mute.md', '---\nmodel: anthropic:x\n---\n'],
  ])
  expect(parseProject({ texts, toolFiles: [] })).toMatchObject({
    warnings: [{ problem: 'worker "mute" has no instructions' }],
  })
})

test.each([
  ['{ command: npx -y server }', 'is one program called "npx -y server"'],
  ['{ command: npx, args: ["server@latest"] }', 'pin it, like "server@1.2.3"'],
  ['{ command: x, env: { API_TOKEN: hunter2hunter2 } }', 'looks like a secret'],
  ['{ command: x, env: { A: sk-abcdefghijklmnopqrstuvwx } }', 'looks like a secret'],
  ['{ command: x, env: { A: $HOME } }', 'has "$HOME", which stands for itself'],
  ['{ command: x, env: { A: "${MY KEY}" } }', 'has "${MY KEY}", which stands for itself'],
  ['{ url: "http://example.com/mcp" }', 'is not encrypted'],
  ['{ url: "https://me:it@example.com/mcp" }', 'has a name or password in it'],
])('a server that is not started or reached as it seems: %s', (server, why) => {
  expect(warnings({ worker: `mcpServers: { s: ${server} }` })).toEqual([
    expect.stringContaining(why),
  ])
})

test('a server with its secrets in the environment, or on this host, is warned of nothing', () => {
  const worker = `mcpServers:
  files: { command: npx, args: [-y, "@x/server@1.2.3"], env: { API_TOKEN: "\${API_TOKEN}" } }
  local: { url: "http://127.0.0.1:9/mcp", headers: { authorization: "Bearer \${WIKI}" } }`
  expect(warnings({ worker })).toEqual([])
})
