import { expect, test } from 'vitest'
import { folderOf, policyOf } from '#test/harness/fixtures/project.ts'
import { withoutSecrets } from './tool-processes.ts'

const text = `version: 1
teams:
  ops: { members: [ada@example.com] }
queues:
  ops: { team: ops }
defaults: { queue: ops }
models:
  local: { provider: openai-compatible, baseUrl: "http://localhost:1/v1", apiKey: "\${S_MODEL}" }
email:
  smtp: { host: localhost, port: 25, security: none, userFrom: S_USER, passwordFrom: S_PASSWORD }
  from: a@example.com
signIn:
  oidc: { issuer: "https://id.example.com", clientId: x, clientSecretFrom: S_OIDC }
slack: { team: T0123ABCD, tokenFrom: S_SLACK, signingSecretFrom: S_SIGNING, channels: { ops: "#ops" } }
webhooks:
  endpoints:
    deploys: { url: "https://hooks.example.com/x", secretFrom: S_HOOK, events: [request.opened] }
deployments:
  shop:
    secret: "\${S_GITHUB}"
    key: "\${S_KEY}"
    appId: 7
    privateKey: "\${S_APP}"
    repositories: { acme/shop: 7 }
    people: { 7: ada@example.com }
`

test('no tool sees a variable that any part of countersign.yaml names for a secret of the service', () => {
  const policy = policyOf(folderOf({ 'countersign.yaml': text }))
  const named = [...text.matchAll(/S_[A-Z]+/g)].map(([name]) => name)
  expect(named).toHaveLength(10)
  const environment = Object.fromEntries([...named, 'OWN_TOKEN'].map((name) => [name, 'x']))
  expect(withoutSecrets(environment, policy)).toEqual({ OWN_TOKEN: 'x' })
})
