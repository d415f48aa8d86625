import type { Request } from 'express'
import { z } from 'zod'
import { Problem } from '../../../domain/problem.ts'
import { filterEvents } from '../../../services/access/filter-events.ts'
import { isKeyLive } from '../../../services/access/is-key-live.ts'
import { readSession } from '../../../services/access/read-session.ts'
import type { Identity } from '../../identity.ts'
import { route, type Route } from '../../route.ts'
import { readSessionCookie } from '../../session-cookie.ts'
import type { Api } from '../../settings.ts'
import { streamEvents } from '../../stream-events.ts'

export const eventRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/events',
    summary: 'Server-sent events: ids of requests and runs that changed; fetch them again',
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
          '`request.opened|changed|decided|closed` and `run.changed`; `id:` is the sequence',
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
        await streamEvents(response, {
          feed: api.events,
          after,
          heartbeatMs: api.settings.heartbeatMs,
          stopping: api.stopping ?? null,
          admit: async (events) =>
            (await isStillKnown(api, request, identity))
              ? filterEvents(api.ctx, caller, events)
              : null,
        })
      }
    },
  }),
]

/** A stream outlives its first check: it ends with the session or key that it began with. */
async function isStillKnown(api: Api, request: Request, identity: Identity): Promise<boolean> {
  if (identity.kind === 'key') return isKeyLive(api.ctx, identity.key)
  const token = readSessionCookie(request) ?? ''
  const found = await readSession(api.ctx, api.settings.sessionTimes, { token, isUse: false })
  return found !== null
}

function lastEventId(request: Request): bigint | null {
  const given = request.get('last-event-id')
  if (given === undefined || given === '') return null
  if (!/^[0-9]{1,18}$/.test(given)) {
    throw new Problem('invalid_request', 'Last-Event-ID is not one of ours', {
      field: 'Last-Event-ID',
    })
  }
  return BigInt(given)
}
