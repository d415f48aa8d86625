import type { Request } from 'express'
import { limits } from '#domain/limits.ts'
import { isSecretLive } from '#services/access/api-keys/read-api-key.ts'
import { readSession } from '#services/access/sessions/read-session.ts'
import type { Api } from '../context/api.ts'
import { readSessionCookie } from '../identity/cookies.ts'
import type { Identity } from '../identity/identity.ts'
import { isBrowser, readProof } from '../identity/session-proof.ts'
import { networkOfRequest } from '../middleware/failure-limit.ts'
import { OpenAnswers } from './open-answers.ts'

const streams = new OpenAnswers()

/**
 * Counts a stream (of events, or of a run) against the limits of its address and its reader. If a
 * browser opens one too many, its oldest stream ends, and resumes later after its last event. A
 * program gets an error instead. Throws `rate_limited`.
 */
export function holdStream(
  request: Request,
  identity: Identity,
): { readonly replaced: AbortSignal; readonly release: () => void } {
  const replaced = new AbortController()
  const isKey = identity.kind === 'key'
  const ofAddress = streams.hold(
    `address ${networkOfRequest(request)}`,
    limits.eventStreamsOfAddress,
    { what: 'event streams of one address', makeRoom: null },
  )
  try {
    const holder = isKey ? `key ${identity.key.id}` : `session ${identity.session.tokenHash}`
    const ofReader = streams.hold(holder, limits.eventStreams, {
      what: 'event streams of one key',
      makeRoom: isKey ? null : () => replaced.abort(),
    })
    const release = (): void => {
      ofAddress()
      ofReader()
    }
    return { replaced: replaced.signal, release }
  } catch (error) {
    ofAddress()
    throw error
  }
}

/** Whether the session or key of an open stream is still valid; if not, the stream has to end. */
export async function isStillKnown(
  api: Api,
  request: Request,
  identity: Identity,
): Promise<boolean> {
  if (identity.kind === 'key') return isSecretLive(api.ctx, identity.key, api.signIns ?? null)
  const token = readSessionCookie(request) ?? ''
  const sent = { token, proof: readProof(request), isBrowser: isBrowser(request), isUse: false }
  const { ctx, settings, signIns } = api
  const cached =
    signIns === undefined ? null : ({ cache: signIns, use: 'judged by the look-up' } as const)
  const session = await readSession(ctx, settings.sessionTimes, sent, cached)
  return session?.isProven === true
}
