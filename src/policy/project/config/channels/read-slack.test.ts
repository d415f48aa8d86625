import { expect, test } from 'vitest'
import { parseConfig } from '#test/harness/fixtures/project.ts'

const head = `version: 1
teams: { platform: { members: [ada@example.com] } }
queues: { platform: { team: platform } }
`

function parse(slack: string) {
  const { config, problems } = parseConfig(`${head}slack: ${slack}\n`)
  return { slack: config?.slack ?? null, problems: problems.map(({ problem }) => problem) }
}

const named = 'team: T0123ABCD, tokenFrom: SLACK_TOKEN, signingSecretFrom: SLACK_SECRET'

test('a workspace names its secrets by variables, and a channel for each queue', () => {
  expect(parse(`{ ${named}, channels: { platform: "#approvals" } }`).slack).toEqual({
    team: 'T0123ABCD',
    tokenFrom: 'SLACK_TOKEN',
    signingSecretFrom: 'SLACK_SECRET',
    channels: new Map([['platform', '#approvals']]),
    source: 'countersign.yaml:4',
  })
  expect(parse(`{ ${named}, channels: { platform: C0123ABCD } }`).slack?.channels).toEqual(
    new Map([['platform', 'C0123ABCD']]),
  )
})

test.each([
  ['no workspace', '{ tokenFrom: A, signingSecretFrom: B, channels: {} }', 'has no "team"'],
  [
    'a name of a workspace',
    `{ team: acme, tokenFrom: A, signingSecretFrom: B, channels: {} }`,
    'is "acme", not the id of a workspace',
  ],
  [
    'a token itself',
    `{ team: T1234, tokenFrom: xoxb-1, signingSecretFrom: B, channels: {} }`,
    'is not the name of an environment variable',
  ],
  [
    'a setting of the service',
    `{ team: T1234, tokenFrom: DATABASE_URL, signingSecretFrom: B, channels: {} }`,
    'names DATABASE_URL, a setting of the service itself',
  ],
  ['no secret', `{ team: T1234, tokenFrom: A, channels: {} }`, 'has no "signingSecretFrom"'],
  ['no channels', `{ ${named} }`, 'has no "channels"'],
  [
    'a queue that is not there',
    `{ ${named}, channels: { other: C0123 } }`,
    'names the queue "other", which is not defined',
  ],
  [
    'a person for a channel',
    `{ ${named}, channels: { platform: "@grace" } }`,
    'is "@grace", not a channel',
  ],
  ['an unknown key', `{ ${named}, channels: {}, token: x }`, 'unknown key "slack.token"'],
])('refuses %s, with a sentence', (_what, slack, problem) => {
  expect(parse(slack).problems.join('\n')).toContain(problem)
})
