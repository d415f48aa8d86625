import type { Request } from 'express'
import { z } from 'zod'
import { Problem } from '#domain/problem.ts'
import { personBehind } from '#services/requests/people/viewer.ts'
import { route } from '../../route/route.ts'
import { admitEvents } from '../../held-open/admit-events.ts'
import { holdStream, isStillKnown } from '../../held-open/hold-stream.ts'
import { streamEvents } from '../../held-open/stream-events.ts'

export const eventRoutes = [
  route({
    method: 'get',
    path: '/v1/events',
    name: 'streamEvents',
    summary: 'Stream events',
    description:
      'Server-sent events with the ids of requests and runs that changed, so that clients fetch them again',
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
          '`request.opened|changed|decided|closed`, `run.changed` and, without ids, `policy.changed`; `id:` is the sequence. A session has at most 20 streams, and a new one ends its oldest. A key has at most 20 streams, and a further one is refused',
        contentTypes: ['text/event-stream'],
      },
    },
    answer: (api, { request, caller, identity }) => {
      const after = lastEventId(request)
      const personId = personBehind(caller)
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
              ? admitEvents(api.ctx, personId, events)
              : null,
        })
      }
    },
  }),
]

function lastEventId(request: Request): bigint | null {
  const header = request.get('last-event-id')
  if (header === undefined || header === '') return null
  if (!/^[0-9]{1,18}$/.test(header)) {
    throw new Problem('invalid_request', 'Last-Event-ID is not the id of an event of this stream', {
      field: 'Last-Event-ID',
    })
  }
  return BigInt(header)
}
