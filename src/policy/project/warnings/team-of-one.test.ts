import { expect, test } from 'vitest'
import { parseProject } from '../parse-project.ts'

/** What a queue of a team with these members is warned of. */
function warnings(
  members: string,
  queue = '{ team: platform }',
  more = '',
  worker = '',
): readonly string[] {
  const config = `version: 1
teams:
  platform: { members: [${members}] }
  security: { members: [edsger@example.com] }
queues:
  platform: ${queue}
${more}`
  const texts = new Map([['countersign.yaml', config]])
  if (worker !== '') {
    texts.set(
      'workers/scribe.md',
      `---\nmodel: anthropic:x\nqueue: platform\n${worker}\n---\nWrite.\n`,
    )
  }
  const parsed = parseProject({ texts, toolFiles: [] })
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems, null, 1))
  return parsed.warnings.map((one) => `${one.file}:${one.line} ${one.problem}; ${one.remedy}`)
}

// Rules: product.md 42
test('a queue that reaches only one person has a warning, unless it permits self-approval or an escalation adds people', () => {
  expect(warnings('ada@example.com')).toEqual([
    expect.stringMatching(
      /^countersign\.yaml:6 queue "platform" reaches ada@example\.com alone.*; add a colleague to team "platform"/,
    ),
  ])
  expect(warnings('ada@example.com, grace@example.com')).toEqual([])
  expect(warnings('ada@example.com', '{ team: platform, selfApproval: true }')).toEqual([])
  const escalates = '{ team: platform, escalate: [{ after: 1h, addTeams: [security] }] }'
  expect(warnings('ada@example.com', escalates)).toEqual([])
})

// Rules: product.md 42
test('a quorum that is not met without some person has a warning that names them, unless they may approve their own', () => {
  const two = 'ada@example.com, grace@example.com'
  const route = (quorum: string, more = ''): string =>
    `routing: [{ when: { risk: high }, ${more}quorum: ${quorum} }]`
  const both = '{ allOf: [{ team: platform }, { team: security }] }'
  expect(warnings(two, undefined, route(both))).toEqual([
    expect.stringMatching(
      /^countersign\.yaml:7 the quorum is not met without edsger@example\.com, who decides nothing/,
    ),
  ])
  expect(warnings(two, undefined, route('{ count: 2 }', 'queue: platform, '))).toEqual([
    expect.stringContaining('is not met without ada@example.com or grace@example.com,'),
  ])
  const three = `${two}, linus@example.com`
  expect(warnings(three, undefined, route('{ count: 2 }', 'queue: platform, '))).toEqual([])
  const either = '{ anyOf: [{ team: platform, count: 2 }, { team: security }] }'
  expect(warnings(two, undefined, route(either))).toEqual([])
  expect(warnings(two, '{ team: platform, selfApproval: true }', route(both))).toEqual([])
  const escalates = '{ team: platform, escalate: [{ after: 1h, addTeams: [security] }] }'
  expect(warnings(two, escalates, route('{ count: 2 }', 'queue: platform, '))).toEqual([])
})

// Rules: product.md 42
test('somebody who may start no worker is not in these warnings', () => {
  const startable = (team: string): string => `startableBy: [${team}]`
  expect(warnings('ada@example.com', undefined, '', startable('security'))).toEqual([])
  expect(warnings('ada@example.com', undefined, '', startable('platform'))).toHaveLength(1)
  const two = 'ada@example.com, grace@example.com'
  const both = `routing:
  - { when: { risk: high }, quorum: { allOf: [{ team: platform, count: 2 }, { team: security }] } }`
  expect(warnings(two, undefined, both, startable('platform'))).toEqual([
    expect.stringContaining('is not met without ada@example.com or grace@example.com, who'),
  ])
  expect(warnings(two, undefined, both, startable('security'))).toEqual([
    expect.stringContaining('is not met without edsger@example.com, who'),
  ])
})
