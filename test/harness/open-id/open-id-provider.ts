import { closeServer, listenHere } from '../listen.ts'
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Provider } from 'oidc-provider'

/** The claims of the provider about a person; `sub` is the account. */
export interface Account {
  readonly sub: string
  readonly email: string
  readonly email_verified: boolean
  readonly name?: string
  readonly groups?: readonly string[]
}

type Claims = Record<string, unknown>

/**
 * A real OpenID Connect provider of a third party, which signs in the account that the test sets,
 * without a prompt.
 */
export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string
  /** who signs in from now on; null: they say no */
  account: Account | null
  /** changes what its token says, under its own good signature */
  forgeClaims: ((claims: Claims) => Claims) | null
  /** spoils the signature of its tokens */
  spoilsSignature: boolean
  /** No request is answered until the provider is disposed of. */
  stop(): Promise<void>
}

export const clientId = 'countersign'
export const clientSecret = 'a-secret-of-the-client'
/** An agent of somebody's: a public client, which asks for access tokens of a resource. */
export const agentId = 'an-agent'
export const agentRedirectUri = 'http://localhost:4411/back'
const resourceScope = 'requests:write requests:read'

/** `redirectUri`: where it sends browsers back to. */
export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const server = createServer((request, response) => handle(request, response))
  const issuer = `http://127.0.0.1:${await listenHere(server)}`
  const stop = async (): Promise<void> => {
    await closeServer(server)
  }
  const settings: OpenIdProvider = {
    issuer,
    account: null,
    forgeClaims: null,
    spoilsSignature: false,
    stop,
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await stop()
    },
  }
  const provider = new Provider(issuer, configurationOf(settings, privateKey, redirectUri))
  const callback = provider.callback()
  handle = (request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/interaction/')) return void answer(provider, settings, request, response)
    if (path.startsWith('/token')) {
      change(response, (body) => ({ ...body, id_token: forgeToken(settings, body, privateKey) }))
    }
    callback(request, response)
  }
  return settings
}

function configurationOf(provider: OpenIdProvider, key: KeyObject, redirectUri: string): unknown {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [new URL('/', redirectUri).href],
      },
      {
        client_id: agentId,
        redirect_uris: [agentRedirectUri],
        token_endpoint_auth_method: 'none',
      },
    ],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] },
    cookies: { keys: ['of a test'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    scopes: ['openid', 'email', 'profile', 'groups'],
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: resourceScope,
          audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    // Like a provider with this setting, tokens for resources contain the address too.
    extraTokenClaims: () => ({
      email: provider.account?.email,
      email_verified: provider.account?.email_verified,
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, sub: string) => {
      const { account } = provider
      return account?.sub === sub ? { accountId: sub, claims: async () => account } : undefined
    },
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const { client, params, session } = oidc
      const of = { clientId: client.clientId, accountId: session.accountId }
      const grant = new oidc.provider.Grant(of)
      grant.addOIDCScope('openid email profile groups')
      if (params.resource !== undefined) grant.addResourceScope(params.resource, resourceScope)
      await grant.save()
      return grant
    },
  }
}

interface GrantContext {
  readonly oidc: {
    readonly provider: Provider
    readonly session: { readonly accountId: string }
    readonly client: { readonly clientId: string }
    readonly params: { readonly resource?: string }
  }
}

/** The person at the provider: in at once, or no. */
function answer(
  provider: Provider,
  { account }: OpenIdProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result =
    account === null ? { error: 'access_denied' } : { login: { accountId: account.sub } }
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

/** Changes the JSON of an answer on its way out. */
function change(response: ServerResponse, by: (body: Claims) => Claims): void {
  const end = response.end.bind(response) as (chunk: string) => ServerResponse
  response.end = ((chunk: unknown) => {
    const body = String(chunk)
    const text = body.startsWith('{') ? JSON.stringify(by(JSON.parse(body) as Claims)) : body
    if (!response.headersSent) response.setHeader('content-length', Buffer.byteLength(text))
    return end(text)
  }) as typeof response.end
}

function forgeToken(provider: OpenIdProvider, body: Claims, key: KeyObject): unknown {
  const token = body['id_token']
  if (typeof token !== 'string') return token
  const [head = '', payload = '', signature = ''] = token.split('.')
  if (provider.spoilsSignature)
    return [head, payload, signature.split('').toReversed().join('')].join('.')
  if (provider.forgeClaims === null) return token
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
  const payloadPart = Buffer.from(JSON.stringify(provider.forgeClaims(claims))).toString(
    'base64url',
  )
  const jwtSignature = createSign('RSA-SHA256')
    .update(`${head}.${payloadPart}`)
    .sign(key, 'base64url')
  return `${head}.${payloadPart}.${jwtSignature}`
}
