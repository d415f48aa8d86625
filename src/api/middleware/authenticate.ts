import type { Request, RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { Problem } from '../../domain/problem.ts'
import { readApiKey } from '../../services/access/read-api-key.ts'
import { readSession } from '../../services/access/read-session.ts'
import { refuseSignIn } from '../../services/access/refuse-sign-in.ts'
import type { Identity } from '../identity.ts'
import { readSessionCookie } from '../session-cookie.ts'
import type { Api } from '../settings.ts'
import { addressOf, failureLimit, type FailureLimit } from './failure-limit.ts'

/**
 * Finds out who calls: a bearer key, else the session of the cookie, else nobody (`locals.identity` stays unset).
 * A key that is not valid is `401` and never falls back to a cookie; 60 of them a minute are `429`.
 */
export function authenticate(api: Api): RequestHandler {
  const keys = failureLimit(60, 'failed keys')
  return async (request, response, next) => {
    const identity = await identify(api, keys, request)
    if (identity !== null) response.locals['identity'] = identity
    next()
  }
}

async function identify(api: Api, keys: FailureLimit, request: Request): Promise<Identity | null> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    await keys.check(request)
    const [, bearer] = /^Bearer ([\w-]{1,200})$/i.exec(authorization) ?? []
    const key = bearer === undefined ? null : await readApiKey(api.ctx, bearer)
    if (key !== null) return { kind: 'key', key }
    await keys.fail(request)
    return refuseSignIn(api.ctx, { method: 'key', why: 'not_valid', channel: 'api' })
  }
  const token = readSessionCookie(request)
  if (token === null) return null
  const session = await readSession(api.ctx, api.settings.sessionTimes, { token, isUse: true })
  return session === null ? null : { kind: 'session', session }
}

/** At most so many requests a second a session, key or, without either, address. */
export function limitRequests(perSecond: number): RequestHandler {
  return rateLimit({
    windowMs: 1000,
    limit: perSecond,
    standardHeaders: false,
    legacyHeaders: false,
    // Its advice about proxies goes to the console; whether one is trusted is the configuration's.
    validate: false,
    keyGenerator: (request, response) => {
      const identity = response.locals['identity'] as Identity | undefined
      if (identity === undefined) return `address ${addressOf(request)}`
      return identity.kind === 'key' ? `key ${identity.key.id}` : identity.session.tokenHash
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
