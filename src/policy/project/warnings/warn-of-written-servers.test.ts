import { expect, test } from 'vitest'
import { warnings } from './warnings.fixture.ts'

const zones = `zones:
  - { name: all, root: ., mode: rw }
  - { name: servers, root: servers, mode: ro }
  - { name: notes, root: notes, mode: rw, suffixes: [.md] }
`

const warned = (command: string, args: readonly string[] = []): readonly string[] =>
  warnings({
    worker: `${zones}mcpServers:\n  files: ${JSON.stringify({ command, args })}`,
  }).filter((one) => one.includes('runs as the server after'))

// Rules: security.md 28, 36
test.each([
  ['node', ['server/index.js']],
  ['node', ['--enable-source-maps', './server/index.mjs', 'docs']],
  ['python3', ['server.py']],
  ['./bin/server', []],
  ['bin/server', []],
  ['node', ['servers/../server/index.js']],
])('a server whose program its worker can write has a warning: %s %j', (command, args) => {
  expect(warned(command, args)).toEqual([
    expect.stringMatching(
      /^workers\/scribe\.md:\d+ the server files runs \S+, which scribe can write: .*; install the server outside of the zones/,
    ),
  ])
})

test.each([
  ['npx', ['@modelcontextprotocol/server-filesystem@1.0.0', 'docs']],
  ['node', ['/opt/servers/index.js']],
  ['node', ['servers/index.js']],
  ['node', ['node_modules/server/index.js']],
  ['node_modules/.bin/server', []],
  ['node', ['notes/index.js']],
  ['/usr/bin/server', ['--root', 'docs']],
])('a server whose program lies elsewhere has no warning: %s %j', (command, args) => {
  expect(warned(command, args)).toEqual([])
})

// Rules: security.md 40
test('a server with pre-approved tools has a warning if it can read a zone whose reads ask', () => {
  const zonesThat = (read: string) =>
    `zones:\n  - { name: all, root: ., mode: ro }\n  - { name: hr, root: hr, mode: ro, approval: { read: ${read} } }\n`
  const warningsFor = (read: string, tool: string): readonly string[] =>
    warnings({
      worker: `${zonesThat(read)}mcpServers:\n  files: { command: server, tools: { cat: ${tool} } }`,
    }).filter((one) => one.includes('can read the zone'))
  expect(warningsFor('ask', 'preApproved')).toEqual([
    expect.stringContaining('files can read the zone hr, whose reads ask, also for cat'),
  ])
  // The sandbox hides a blocked zone from servers.
  expect(warningsFor('blocked', 'preApproved')).toEqual([])
  expect(warningsFor('ask', 'ask')).toEqual([])
  expect(warningsFor('preApproved', 'preApproved')).toEqual([])
})
