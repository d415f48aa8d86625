import { expect, test } from 'vitest'
import { parseProject } from '../parse-project.ts'
import { base, warnings } from './warnings.fixture.ts'

test('a routing entry after one that matches everything it matches has a warning', () => {
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

test('steps of a queue after the expiry of its requests, and a count above the size of its team, have a warning', () => {
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
])(
  'a pattern of a routing entry that matches no plain command has a warning: %s',
  (command, why) => {
    const config = `routing: [{ when: { command: "${command}" } }]\n`
    expect(warnings({ config })).toEqual([
      `countersign.yaml:7 "routing[0].when.command" never matches a plain command: ${why}; write words like "git push"`,
    ])
  },
)

test('conditions that no call meets together have a warning, in routing and overlays', () => {
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
])('a path that matches less than it seems to has a warning: %s', (path, why) => {
  expect(warnings({ config: `routing: [{ when: { path: "${path}" } }]\n` })).toEqual([
    `countersign.yaml:7 "routing[0].when.path" ${why}`,
  ])
})

test('a quorum counts people, not memberships: a person in two teams fills one place', () => {
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
  // Met by Ada and Grace, but never without one of them.
  expect(parse(both.replace('team: two', 'team: platform')).join()).not.toContain('needs more')
})

test.each([
  ['platform', 'is asked from the start'],
  ['nobody', 'has no members'],
])('an escalation that adds nobody has a warning: team %s', (team, why) => {
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

test('a quorum without a place of the queue’s team has a warning if the queue escalates', () => {
  const queue = 'expiresAfter: 72h, escalate: [{ after: 1h, addTeams: [security] }]'
  const texts = (places: string) =>
    new Map([
      [
        'countersign.yaml',
        `${base.replace('expiresAfter: 72h', queue).replace('queues:', '  security: { members: [edsger@example.com] }\n  legal: { members: [lea@example.com, ida@example.com] }\nqueues:')}routing: [{ when: {}, queue: platform, quorum: { allOf: [${places}] } }]\n`,
      ],
    ])
  const warningsFor = (places: string) => {
    const parsed = parseProject({ texts: texts(places), toolFiles: [] })
    return 'warnings' in parsed ? parsed.warnings.map((one) => one.problem) : parsed.problems
  }
  expect(warningsFor('{ team: legal }')).toEqual([
    'the quorum has no place of team "platform", so queue "platform" escalates none of these requests',
  ])
  expect(warningsFor('{ team: legal }, { team: platform }')).toEqual([])
})

test('a workspace that no worker lists has a warning', () => {
  const config = 'workspaces: { other: { root: elsewhere } }\n'
  expect(warnings({ config })).toEqual([
    'countersign.yaml:7 "workspaces.other" is never used: no worker lists it; write `workspace: other` in a worker file, or remove it',
  ])
})
