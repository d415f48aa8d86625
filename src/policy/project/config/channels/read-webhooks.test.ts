import { expect, test } from 'vitest'
import { parseConfig } from '#test/harness/fixtures/project.ts'

function parse(text: string) {
  const head =
    'version: 1\nteams:\n  ops: { members: [ada@example.com] }\nqueues:\n  ops: { team: ops }\n'
  const { config, problems } = parseConfig(`${head}webhooks:\n${text}`)
  return { webhooks: config?.webhooks ?? null, problems }
}

test('an endpoint has its address, its events and queues, and the name of its secret', () => {
  const { webhooks } = parse(
    `  allow: [10.0.0.0/8, "fd00::/8"]
  endpoints:
    chat: { url: "https://hooks.example.com/x", secretFrom: CHAT_SECRET, events: request.opened, queues: [ops] }
    usual: { url: "http://localhost:9000/", secretFrom: OTHER_SECRET }
`,
  )
  expect(webhooks?.allow).toEqual(['10.0.0.0/8', 'fd00::/8'])
  expect(webhooks?.endpoints.get('chat')).toEqual({
    name: 'chat',
    url: 'https://hooks.example.com/x',
    events: ['request.opened'],
    queues: ['ops'],
    secretFrom: 'CHAT_SECRET',
    source: 'countersign.yaml:9',
  })
  expect(webhooks?.endpoints.get('usual')).toMatchObject({
    events: expect.not.arrayContaining(['request.changed', 'run.changed']),
    queues: null,
  })
})

test.each([
  ['  allow: [intranet]\n', 'not an address or a range'],
  ['  allow: [10.0.0.0/33]\n', 'not an address or a range'],
  ['  endpoints:\n    a: { secretFrom: A }\n', 'has no "url"'],
  ['  endpoints:\n    a: { url: "https://example.com" }\n', 'has no "secretFrom"'],
  [
    '  endpoints:\n    a: { url: "http://example.com", secretFrom: A }\n',
    'is not an https:// address',
  ],
  [
    '  endpoints:\n    a: { url: "ftp://example.com", secretFrom: A }\n',
    'is not an https:// address',
  ],
  ['  endpoints:\n    a: { url: "https://u:p@example.com", secretFrom: A }\n', 'has a user name'],
  [
    '  endpoints:\n    a: { url: "https://e.com", secretFrom: DATABASE_URL }\n',
    'a setting of the service',
  ],
  ['  endpoints:\n    a: { url: "https://e.com", secretFrom: A, events: [x] }\n', 'is "x"'],
  ['  endpoints:\n    a: { url: "https://e.com", secretFrom: A, queues: [none] }\n', 'not defined'],
  ['  endpoints:\n    a: { url: "https://e.com", secretFrom: A, secret: x }\n', 'unknown key'],
])('%j is an error with its line', (text, problem) => {
  const { problems } = parse(text)
  expect(problems).toMatchObject([
    {
      file: 'countersign.yaml',
      line: expect.any(Number),
      problem: expect.stringContaining(problem),
    },
  ])
})

test('a secret in the file is an error that does not repeat it', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const { problems } = parse(
    `  endpoints:\n    a: { url: "https://e.com", secretFrom: ${secret} }\n`,
  )
  expect(problems).toHaveLength(1)
  expect(JSON.stringify(problems)).not.toContain(secret)
})
