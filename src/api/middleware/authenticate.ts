import type { Request, RequestHandler, Response } from 'express'
import { rateLimit } from 'express-rate-limit'
import { Problem } from '#domain/problem.ts'
import { isApiKey, readApiKey, type KeyIdentity } from '#services/access/api-keys/read-api-key.ts'
import { whyKeyIsRefused } from '#services/access/api-keys/why-key-is-refused.ts'
import { readAccessToken, type TokenRefusal } from '#services/access/oidc/read-access-token.ts'
import { readSession, type UnprovenSession } from '#services/access/sessions/read-session.ts'
import type { SignInCache, Use } from '#services/access/sign-in-cache.ts'
import { refuseSignIn } from '#services/access/sign-in/refuse-sign-in.ts'
import { hashToken } from '#services/access/token.ts'
import { currentRequest } from '#services/core/current-request.ts'
import { personOf, type Identity } from '../identity/identity.ts'
import { readSessionCookie } from '../identity/cookies.ts'
import { isBackground, isBrowser, readProof } from '../identity/session-proof.ts'
import type { Api } from '../context/api.ts'
import { AddressTurns } from './address-turns.ts'
import { CredentialLookUps } from './credential-look-ups.ts'
import { withinSeconds } from './within-seconds.ts'
import { networkOfRequest, failureLimit, type FailureLimit } from './failure-limit.ts'
import { WindowCounts } from './window-counts.ts'

/**
 * Identifies the caller by a bearer key, otherwise by the session of the cookie; without either
 * `locals.identity` stays unset. At the gateway, access tokens of the sign-in provider are taken
 * too. A cookie without its session's proof sets `locals.unproven` instead. An invalid key or token
 * is `401` and never falls back to a cookie; beyond 60 of them a minute they are `429`. Then a
 * valid key of that address still passes; if it was not seen before, its call must be among the
 * first ten of its second with unknown keys. A key that failed is refused for the rest of the
 * second. Access tokens share the 60 with keys, and have look-ups of their own. More unknown
 * cookies than `perSecond` are `429` before the database is asked. A look-up of the last seconds
 * serves calls that change nothing, and those of `judgedAgain`, whose verbs look for the session in
 * their own transaction.
 */
export function authenticate(
  api: Api,
  { judgedAgain, perSecond }: { judgedAgain: readonly RegExp[]; perSecond: number },
): RequestHandler {
  const keys = failureLimit(60, 'failed keys')
  const lookUps = { key: bearerLookUps('keys'), token: bearerLookUps('tokens') }
  const cookies = new CredentialLookUps(perSecond, 'session cookies', () => Date.now())
  const isRecorded = onceAMinute()
  return async (request, response, next) => {
    const { method, originalUrl } = request
    const isSafe = method === 'GET' || method === 'HEAD'
    const isJudgedAgain = judgedAgain.some((path) => path.test(originalUrl))
    const cache = isSafe || isJudgedAgain ? (api.signIns ?? null) : null
    const use = isJudgedAgain ? ('judged again' as const) : ('judged by the look-up' as const)
    const cached = cache === null ? null : { cache, use }
    const identified = identify(api, { keys, lookUps, cookies }, { request, response, cached })
    const identity = await (request.baseUrl === '/metrics' ? withinSeconds(identified) : identified)
    if (identity !== null && 'kind' in identity) {
      response.locals['identity'] = identity
      const current = currentRequest.getStore()
      if (current !== undefined) current.caller = `person ${personOf(identity)}`
    } else if (identity !== null) {
      response.locals['unproven'] = {
        unproven: identity,
        isRecorded: () => isRecorded(identity.sessionId),
      }
    }
    next()
  }
}

interface IncomingRequest {
  readonly request: Request
  readonly response: Response
  /** `null`: the database answers */
  readonly cached: { readonly cache: SignInCache; readonly use: Use } | null
}

/** The bounds on credentials that nobody has. */
interface Bounds {
  /** of keys and access tokens together */
  readonly keys: FailureLimit
  /** each kind has look-ups of its own: slow ones of one kind delay none of the other */
  readonly lookUps: { readonly key: BearerLookUps; readonly token: BearerLookUps }
  readonly cookies: CredentialLookUps
}

/** The look-ups of the bearer credentials of one kind. */
interface BearerLookUps {
  /** once their address has failed too often */
  readonly afterFailures: CredentialLookUps
  /** limits how many unknown ones are looked up at once, so that parallel ones pass no limit */
  readonly turns: AddressTurns
}

function bearerLookUps(kind: 'keys' | 'tokens'): BearerLookUps {
  return {
    afterFailures: new CredentialLookUps(maxAfterFailures, kind, () => Date.now()),
    turns: new AddressTurns(maxAtOnce),
  }
}

async function identify(
  api: Api,
  { keys, lookUps, cookies }: Bounds,
  { request, response, cached }: IncomingRequest,
): Promise<Identity | UnprovenSession | null> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const [, bearer = ''] = /^Bearer ([\w.-]{1,8192})$/i.exec(authorization) ?? []
    const resource: unknown = response.locals['resource']
    const credential = hashToken(bearer)
    const from = networkOfRequest(request)
    const isToken = typeof resource === 'string' && tokenForm.test(bearer)
    const { afterFailures, turns } = lookUps[isToken ? 'token' : 'key']
    // A text without the form of a credential is not looked up, and uses up no look-up.
    const isWellFormed = isToken || isApiKey(bearer)
    const read = async () => {
      if (keys.isReached(request)) afterFailures.admit(from, credential)
      const key = isToken
        ? await keyOfToken(api, bearer, resource)
        : await readApiKey(api.ctx, bearer, cached?.cache ?? null)
      const isLive = key !== null && 'id' in key
      afterFailures.record(from, credential, isLive)
      // Counted before the next look-up begins, because it may reach the limit.
      if (!isLive) await keys.fail(request)
      return key
    }
    if (!isWellFormed) await keys.fail(request)
    const isSeen = afterFailures.isKnown(credential)
    const key = !isWellFormed ? null : isSeen ? await read() : await turns.run(from, read)
    if (key !== null && 'id' in key) return { kind: 'key', key }
    const challenge: unknown = response.locals['challenge']
    if (typeof challenge === 'string') {
      response.locals['challenge'] = `${challenge}, error="invalid_token"`
    }
    if (key !== null) return refuseSignIn(api.ctx, { ...key, channel: 'api' })
    const refusal = await whyKeyIsRefused(api.ctx, bearer)
    return refuseSignIn(api.ctx, { method: 'key', ...refusal, channel: 'api' })
  }
  const token = readSessionCookie(request)
  if (token === null) return null
  const cookie = hashToken(token)
  const address = networkOfRequest(request)
  cookies.admit(address, cookie)
  const sent = {
    token,
    proof: readProof(request),
    isBrowser: isBrowser(request),
    isUse: !isBackground(request),
  }
  const session = await readSession(api.ctx, api.settings.sessionTimes, sent, cached)
  cookies.record(address, cookie, session !== null)
  return session?.isProven === true ? { kind: 'session', session } : session
}

/** The calls a second with unknown keys, or tokens, of an address that has failed too often. */
const maxAfterFailures = 10

/** How many unknown keys of an address are looked up at once, and how many unknown tokens. */
const maxAtOnce = 10

/** A JWT: a key has no dots. */
const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]*$/

/**
 * The identity of an access token of the sign-in provider that was issued for the resource, for
 * all of the gateway, or for one of the audiences that the project names.
 */
async function keyOfToken(
  { ctx, settings, identityProviderOf }: Api,
  token: string,
  resource: string,
): Promise<KeyIdentity | (TokenRefusal & { readonly method: 'token' })> {
  const { config } = await ctx.policies.inForce()
  const { oidc } = config.signIn
  if (oidc === null || identityProviderOf === undefined) {
    return { method: 'token', why: 'token_not_valid', code: 'no_provider' }
  }
  const gateway = new URL('/mcp', settings.publicUrl).href
  const audiences = [resource, gateway, ...oidc.tokenAudiences]
  const provider = identityProviderOf(oidc)
  const of = { config, settings: oidc, provider, token, audiences }
  const key = await readAccessToken(ctx, of)
  return 'id' in key ? key : { method: 'token', ...key }
}

/** Whether something was seen within this minute: repeated polls add nothing to the trail. */
function onceAMinute(): (id: string) => boolean {
  const ids = new Set<string>()
  let minute = 0
  return (id) => {
    const now = Math.floor(Date.now() / 60_000)
    if (now !== minute) ids.clear()
    minute = now
    if (ids.has(id)) return true
    ids.add(id)
    return false
  }
}

const windowMs = 1000

/** How many sessions and keys a person may use at their full speed at once. */
const fullShares = 5

/**
 * The most requests a second of a session, key or, without either, address; and five times as many
 * of a person with all sessions and keys together.
 */
export function limitRequests(perSecond: number): readonly RequestHandler[] {
  const ofPerson = limitBy(fullShares * perSecond, ({ person }) => person)
  return [ofPerson, limitBy(perSecond, ({ holder }) => holder)]
}

interface AskingCaller {
  readonly person: string
  readonly holder: string
}

function limitBy(perSecond: number, of: (caller: AskingCaller) => string): RequestHandler {
  return rateLimit({
    windowMs,
    store: new WindowCounts(windowMs),
    limit: perSecond,
    standardHeaders: false,
    legacyHeaders: false,
    // Its advice about proxies goes to the console; the configuration decides whether one is
    // trusted.
    validate: false,
    keyGenerator: (request, response) => {
      const identity = response.locals['identity'] as Identity | undefined
      if (identity === undefined) {
        const address = `address ${networkOfRequest(request)}`
        return of({ person: address, holder: address })
      }
      const holder = identity.kind === 'key' ? `key ${identity.key.id}` : identity.session.tokenHash
      return of({ person: `person ${personOf(identity)}`, holder })
    },
    handler: (_request, _response, next) => {
      next(
        new Problem('rate_limited', `More than ${perSecond} requests a second`, {
          retryAfterSeconds: 1,
        }),
      )
    },
  })
}
