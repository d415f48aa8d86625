import { z } from 'zod'
import { endNamedSession, endOtherSessions } from '#services/access/sessions/end-sessions.ts'
import { listSessions, type SessionRecord } from '#services/access/sessions/list-sessions.ts'
import { sessionIdOf } from '../../identity/identity.ts'
import { pageView } from '../../views/page-view.ts'
import { route } from '../../route/route.ts'
import { id } from '../../schemas/common.ts'
import * as schemas from '../../schemas/access/sessions.ts'
import { clearSessionCookie } from '../../identity/cookies.ts'
import { sessionView } from '../../views/access-view.ts'

/** Where somebody is signed in, and ending it. No API key sees or ends sessions. */
export const sessionRoutes = [
  route({
    method: 'get',
    path: '/v1/sessions',
    name: 'listSessions',
    summary: 'List sessions',
    description:
      "The caller's own live sessions; with the right managePeople, those of another person",
    access: { by: 'person' },
    query: schemas.sessionsQuery,
    answers: {
      200: { description: 'A page of sessions, newest first', schema: schemas.sessionList },
    },
    problems: ['not_found'],
    answer: async (api, { query, caller, identity }) => {
      const { person, ...page } = query
      const list = await listSessions(api.ctx, caller, {
        ...page,
        times: api.settings.sessionTimes,
        ...(person === undefined ? {} : { email: person }),
      })
      const view = (record: SessionRecord) => sessionView(record, sessionIdOf(identity))
      return { status: 200, body: pageView(list, view) }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/sessions/:id',
    name: 'endSession',
    summary: 'End a session',
    description: "End one of the caller's sessions; with the right managePeople, any session",
    access: { by: 'person' },
    params: z.object({ id: id.describe('Id of a session') }),
    answers: { 200: { description: 'Ended, at once', schema: schemas.sessionEnded } },
    problems: ['not_found'],
    answer: async (api, { params, caller, identity, response }) => {
      await endNamedSession(api.ctx, caller, params)
      if (params.id === sessionIdOf(identity)) clearSessionCookie(response)
      return { status: 200, body: { ended: true } }
    },
  }),
  route({
    method: 'post',
    path: '/v1/sessions/end-others',
    name: 'endOtherSessions',
    summary: 'End other sessions',
    description:
      'End all sessions of the caller except this one; with the right managePeople, all sessions of another person',
    access: { by: 'person' },
    body: schemas.endOthersBody,
    answers: {
      200: { description: 'The number of sessions that were ended', schema: schemas.sessionsEnded },
    },
    problems: ['not_found', 'tampered'],
    answer: async (api, { body, caller, identity }) => {
      const count = await endOtherSessions(api.ctx, caller, {
        currentId: sessionIdOf(identity),
        ...(body.person === undefined ? {} : { email: body.person }),
      })
      return { status: 200, body: { ended: count } }
    },
  }),
]
