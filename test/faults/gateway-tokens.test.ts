import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  agentId,
  agentRedirectUri,
  clientId,
  startOpenIdProvider,
  type OpenIdProvider,
} from '../harness/open-id/open-id-provider.ts'
import type { FaultWorld } from './fault-world.ts'
import { decide, startGatewayWorld, timesRun } from './gateway-world.ts'

let provider: OpenIdProvider
let world: FaultWorld

beforeAll(async () => {
  provider = await startOpenIdProvider('http://localhost:4400/v1/auth/oidc/callback')
  const oidc = `{ issuer: "${provider.issuer}", clientId: ${clientId} }`
  world = await startGatewayWorld(`signIn: { oidc: ${oidc} }\n`)
}, 240_000)
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

/** What an agent remembers of its sign-in, and the page of the provider that it sends people to. */
class AgentOAuth implements OAuthClientProvider {
  readonly redirectUrl = agentRedirectUri
  readonly clientMetadata = { redirect_uris: [agentRedirectUri] }
  page: URL | null = null
  #tokens: StoredOAuthTokens | undefined
  #verifier = ''

  clientInformation() {
    return { client_id: agentId, redirect_uris: [agentRedirectUri] }
  }
  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens
  }
  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens
  }
  redirectToAuthorization(page: URL): void {
    this.page = page
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }
  codeVerifier(): string {
    return this.#verifier
  }
}

/** What a browser does with the provider's page: the address that it is sent back to at the end. */
async function signInAt(page: URL): Promise<URL> {
  const cookies = new Map<string, string>()
  let at = page
  for (let hops = 0; hops < 8 && !at.href.startsWith(agentRedirectUri); hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${at.pathname}: ${await response.text()}`)
    at = new URL(location, at)
  }
  expect(at.href).toContain(agentRedirectUri)
  return at
}

// Rules: product.md 19, 46
test('the official client finds the provider by itself, and who signed in there stands behind the call and cannot approve it', async () => {
  // Under the service's public address, for which tokens are issued.
  const url = new URL(`${world.installation.url}/mcp/quick`)
  url.hostname = 'localhost'
  const authProvider = new AgentOAuth()
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'an agent', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
    return client
  }
  await expect(connect()).rejects.toThrow(UnauthorizedError)
  const { page } = authProvider
  if (page === null) throw new Error('nobody was sent to the provider')
  expect(page.origin).toBe(provider.issuer)
  expect(Object.fromEntries(page.searchParams)).toMatchObject({
    resource: url.href,
    scope: 'requests:write requests:read',
    code_challenge_method: 'S256',
  })
  provider.account = { sub: 'grace', email: 'grace@example.com', email_verified: true }
  const back = await signInAt(page)
  await new StreamableHTTPClientTransport(url, { authProvider }).finishAuth(back.searchParams)

  const client = await connect()
  const call = () => client.callTool({ name: 'note', arguments: { text: 'by a token' } })
  const pending = (await call()) as { structuredContent: Record<string, unknown> }
  expect(pending.structuredContent).toMatchObject({ status: 'pending' })
  const waiting = { structured: pending.structuredContent }
  expect((await decide(world, waiting, 'approve', 'grace')).status).toBe(403)
  const id = String(waiting.structured['requestId'])
  const token = await fetch(`${world.installation.url}/v1/requests/${id}/decisions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${authProvider.tokens()?.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ decision: 'approve' }),
  })
  expect(token.status).toBe(401)
  expect(await timesRun(world, 'quick', 'note by a token')).toBe(0)
  expect(await decide(world, waiting, 'approve')).toMatchObject({ status: 200 })
  expect(await call()).toMatchObject({ content: [{ text: 'note by a token' }, {}] })
  expect(await timesRun(world, 'quick', 'note by a token')).toBe(1)

  const { body } = await (await world.as('linus')).get(`/v1/requests/${id}`)
  expect(JSON.stringify(body)).toContain(`${agentId} (OAuth)`)
  const opened = await world.sql(
    `select document::jsonb as event from audit_event where type = 'request.opened'
       and request_id = $1`,
    [id],
  )
  const grace = await world.sql(`select id from person where email = 'grace@example.com'`)
  expect(opened[0]?.['event']).toMatchObject({
    actor: { type: 'machine', name: `${agentId} (OAuth)`, ownerId: grace[0]?.['id'] },
  })
  await client.close()
})
