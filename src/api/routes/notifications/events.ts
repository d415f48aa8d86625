import type { Request } from 'express'
import { z } from 'zod'
import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import { filterEvents } from '#services/access/filter-events.ts'
import { isKeyLive } from '#services/access/api-keys/read-api-key.ts'
import { readSession } from '#services/access/sessions/read-session.ts'
import { HeldOpen } from '../../held-open/held-open.ts'
import type { Identity } from '../../identity/identity.ts'
import { addressOf } from '../../middleware/failure-limit.ts'
import { route } from '../../route/route.ts'
import { readSessionCookie } from '../../identity/cookies.ts'
import { isBrowser, readProof } from '../../identity/session-proof.ts'
import type { Api } from '../../context/api.ts'
import { streamEvents } from '../../held-open/stream-events.ts'

export const eventRoutes = [
  route({
    method: 'get',
    path: '/v1/events',
    name: 'streamEvents',
    summary: 'Stream events',
    description: 'Server-sent events: ids of requests and runs that changed; fetch them again',
    access: { by: 'personOrKey', scope: 'requests:read' },
    headers: z.object({
      'last-event-id': z
        .string()
        .optional()
        .meta({ description: 'Replays everything after this event' }),
    }),
    answers: {
      200: {
        description:
          '`request.opened|changed|decided|closed` and `run.changed`; `id:` is the sequence. At most 20 streams of a session, whose oldest ends for a newer one, or of a key, which is refused more',
        contentTypes: ['text/event-stream'],
      },
    },
    answer: (api, { request, caller, identity }) => {
      const after = lastEventId(request)
      return async (response) => {
        // HEAD asks whether it would work.
        if (request.method === 'HEAD') {
          response.type('text/event-stream').end()
          return
        }
        const { replaced, release: done } = holdStream(request, identity)
        response.on('close', done)
        await streamEvents(response, {
          feed: api.events,
          after,
          heartbeatMs: api.settings.heartbeatMs,
          stopping: api.stopping ?? null,
          replaced,
          admit: async (events) =>
            (await isStillKnown(api, request, identity))
              ? filterEvents(api.ctx, caller, events)
              : null,
        })
      }
    },
  }),
]

const streams = new HeldOpen()

/**
 * Takes the places of an event stream. When a browser opens one too many, its oldest stream ends
 * and resumes later from its last event. A program gets an error instead. Throws `rate_limited`.
 */
function holdStream(
  request: Request,
  identity: Identity,
): { readonly replaced: AbortSignal; readonly release: () => void } {
  const replaced = new AbortController()
  const isKey = identity.kind === 'key'
  const ofAddress = streams.hold(`address ${addressOf(request)}`, limits.eventStreamsOfAddress, {
    what: 'event streams of one address',
    makeRoom: null,
  })
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

/** A stream outlives its first check: it ends with the session or key that it began with. */
async function isStillKnown(api: Api, request: Request, identity: Identity): Promise<boolean> {
  if (identity.kind === 'key') return isKeyLive(api.ctx, identity.key)
  const token = readSessionCookie(request) ?? ''
  const session = await readSession(api.ctx, api.settings.sessionTimes, {
    token,
    proof: readProof(request),
    isBrowser: isBrowser(request),
    isUse: false,
  })
  return session?.isProven === true
}

function lastEventId(request: Request): bigint | null {
  const header = request.get('last-event-id')
  if (header === undefined || header === '') return null
  if (!/^[0-9]{1,18}$/.test(header)) {
    throw new Problem('invalid_request', 'Last-Event-ID is not one of ours', {
      field: 'Last-Event-ID',
    })
  }
  return BigInt(header)
}
