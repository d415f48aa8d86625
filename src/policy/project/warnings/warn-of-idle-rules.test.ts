import { expect, test } from 'vitest'
import { parseProject } from '../parse-project.ts'
import { base, shell, warnings, zone } from './warnings.fixture.ts'

test('a folder without odd settings has no warning', () => {
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

test('a shell rule after one that matches everything it matches has a warning', () => {
  const worker = shell(
    'pattern: git log, approval: preApproved',
    'pattern: git log --all, approval: blocked',
  )
  expect(warnings({ worker })).toEqual([
    'workers/scribe.md:7 rule "git log --all" decides no plain command: rule "git log" comes first and matches all it does; put the more particular rule first',
  ])
})

test.each([
  ['git log | head', '| stands between commands'],
  ['git fetch && git merge', '&& stands between commands'],
  ['git log; rm', '; ends the command in log;'],
  ['ls > out.txt', '> stands between commands'],
  ['make 2>&1', '2>&1 is a redirect'],
  ['git commit -m "fix it"', '"fix is compared with its quotes'],
  ['git log "--oneline"', '"--oneline" is compared with its quotes'],
  ['rm *.log', '*.log is compared letter by letter: patterns have no wildcards'],
  ['cat $HOME', '$HOME is compared letter by letter: nothing is expanded'],
])('a pattern that matches no plain command has a warning: %s', (pattern, why) => {
  const rule = `pattern: ${JSON.stringify(pattern)}, approval: ask`
  expect(warnings({ worker: shell(rule) })).toEqual([
    expect.stringContaining(`rule "${pattern}" never matches a plain command: ${why}`),
  ])
})

test('a rule that pre-approves a program that is never pre-approved has a warning', () => {
  const worker = shell(
    'pattern: sudo apt, approval: preApproved',
    'pattern: /usr/bin/sudo, approval: ask',
  )
  expect(warnings({ worker })).toEqual([
    expect.stringMatching(/rule "sudo apt" pre-approves nothing: sudo .*; write `approval: ask`/),
  ])
})

test('arguments in unlessArgs that are no flags have a warning', () => {
  const worker = shell('pattern: find, approval: preApproved, unlessArgs: [exec]')
  expect(warnings({ worker })).toEqual([
    expect.stringMatching(/"exec" in "unlessArgs" is not a flag; .* like "-exec"/),
  ])
})

test('shell rules of a worker without a zone, and approvals for tools that it does not have, have a warning', () => {
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

test('zones with one root and different approvals, and protected names in a read-only zone, have a warning', () => {
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

test.each(['~/notes', '$HOME/notes', 'notes/*'])(
  'a zone whose root looks like a variable or pattern has a warning: %s',
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
])(
  'an approval for a tool that never counts, or contradicts another, has a warning: %s',
  (tool, why) => {
    expect(warnings({ worker: `${zone}\ntools:\n  ${tool}` })).toEqual([
      expect.stringContaining(`worker "scribe": ${why}`),
    ])
  },
)

test('a worker that may call itself, and one without instructions, have a warning', () => {
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
])('a server that is not started or reached as it seems has a warning: %s', (server, why) => {
  expect(warnings({ worker: `mcpServers: { s: ${server} }` })).toEqual([
    expect.stringContaining(why),
  ])
})

test('a server with its secrets in the environment, or on this host, has no warning', () => {
  const worker = `mcpServers:
  files: { command: npx, args: [-y, "@x/server@1.2.3"], env: { API_TOKEN: "\${API_TOKEN}" } }
  local: { url: "http://127.0.0.1:9/mcp", headers: { authorization: "Bearer \${WIKI}" } }`
  expect(warnings({ worker })).toEqual([])
})

test('names that differ only by case have a warning', () => {
  const worker = `zones: [{ name: a, root: ., mode: rw }, { name: A, root: b }]
mcpServers: { x: { command: y }, X: { command: y } }`
  expect(warnings({ worker })).toEqual([
    'workers/scribe.md:3 "zones[1]" differs from "a" in case only; rename one of them',
    'workers/scribe.md:4 "mcpServers.X" differs from "x" in case only; rename one of them',
  ])
})
