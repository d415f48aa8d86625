import { expect, test } from 'vitest'
import { folderOf, policyOf } from '#test/harness/fixtures/project.ts'
import { policyWith } from '#tools/mcp/mcp.fixture.ts'
import { warnOfMissingVariables } from './missing-variables.ts'

test('a variable that an MCP server is given and that is not set is a warning where the server is declared', () => {
  const policy = policyWith({
    wiki: '{ type: http, url: "https://wiki.example.com", headers: { a: "${ONE} ${TWO}" } }',
    files: '{ command: files, args: ["${NOT_FILLED}"], env: { B: "${TWO}" } }',
  })
  expect(warnOfMissingVariables(policy, { ONE: '1', TWO: '2' })).toEqual([])
  expect(warnOfMissingVariables(policy, { ONE: '1' })).toMatchObject([
    { file: 'workers/w.md', line: 6, problem: expect.stringContaining('"wiki" is given TWO') },
    { file: 'workers/w.md', line: 7, problem: expect.stringContaining('"files" is given TWO') },
  ])
})

test('the key that a model needs is a warning at the line of the model', () => {
  const policy = policyOf(
    folderOf({
      'countersign.yaml': 'version: 1\n',
      'workers/w.md': '---\nname: w\nmodel: anthropic:claude-x\n---\nWrite.\n',
    }),
  )
  expect(warnOfMissingVariables(policy, {})).toMatchObject([
    { file: 'workers/w.md', line: 3, problem: expect.stringContaining('ANTHROPIC_API_KEY') },
  ])
})

test('each variable that countersign.yaml names and that is not set is a warning at its line', () => {
  const text = `version: 1
teams:
  ops: { members: [ada@example.com] }
queues:
  ops: { team: ops }
defaults: { queue: ops }
models:
  local: { provider: openai-compatible, baseUrl: "http://localhost:1/v1", apiKey: "\${LOCAL_KEY}" }
email:
  smtp: { host: localhost, port: 25, security: none, userFrom: SMTP_USER, passwordFrom: SMTP_PASSWORD }
  from: a@example.com
signIn:
  oidc: { issuer: "https://id.example.com", clientId: x, clientSecretFrom: OIDC_SECRET }
webhooks:
  endpoints:
    deploys: { url: "https://hooks.example.com/x", secretFrom: HOOK_SECRET, events: [request.opened] }
`
  const policy = policyOf(folderOf({ 'countersign.yaml': text }))
  const namesOf = (environment: Readonly<Record<string, string>>) =>
    warnOfMissingVariables(policy, environment).map(({ file, problem }) => [file, problem])
  const at = 'countersign.yaml'
  expect(namesOf({})).toEqual([
    [at, 'the models of "local" need the environment variable LOCAL_KEY, which is not set'],
    [at, 'the webhook "deploys" is signed with HOOK_SECRET, which is not set'],
    [at, 'mail is sent with SMTP_USER, which is not set'],
    [at, 'mail is sent with SMTP_PASSWORD, which is not set'],
    [at, 'people sign in with the client secret in OIDC_SECRET, which is not set'],
  ])
  const set = { LOCAL_KEY: 'k', SMTP_USER: 'u', SMTP_PASSWORD: 'p', OIDC_SECRET: 's' }
  expect(namesOf({ ...set, HOOK_SECRET: 'too short' })).toEqual([
    [at, 'the webhook "deploys" is signed with HOOK_SECRET, which is no secret'],
  ])
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  expect(namesOf({ ...set, HOOK_SECRET: secret })).toEqual([])
})
