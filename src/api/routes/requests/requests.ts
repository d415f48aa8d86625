import { z } from 'zod'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { listRequests } from '#services/requests/lists/list-requests.ts'
import { requestContent } from '#services/requests/detail/request-content.ts'
import { workspaceRootOf } from '../../context/api.ts'
import { requireQueue } from '../../route/known-names.ts'
import { bytesAnswer } from '../../route/byte-answers.ts'
import { periodOf } from '../../route/period-of.ts'
import { route } from '../../route/route.ts'
import { hash, requestRef } from '../../schemas/common.ts'
import { waitQuery } from '../../schemas/requests/external.ts'
import { requestList } from '../../schemas/requests/request-item.ts'
import * as schemas from '../../schemas/requests/requests.ts'
import { isStillKnown } from '../../held-open/hold-stream.ts'
import { waitForRequest } from '../../held-open/wait-for-request.ts'
import { pageView } from '../../views/page-view.ts'
import { requestDetailView, requestItemView } from '../../views/request-view.ts'

const access = { by: 'personOrKey', scope: 'requests:read' } as const
const params = z.object({ id: requestRef })

export const requestRoutes = [
  route({
    method: 'get',
    path: '/v1/requests',
    name: 'listRequests',
    summary: 'List requests',
    description: 'Requests the caller may see',
    access,
    query: schemas.requestsQuery,
    answers: { 200: { description: 'A page', schema: requestList } },
    answer: async (api, { query, caller }) => {
      await requireQueue(api, query.queue)
      const { mine, snoozed, grantsUsed, decided, unseen, from, to, ...filters } = query
      const page = await listRequests(api.ctx, caller, {
        ...filters,
        ...periodOf({ from, to }),
        mine: mine === 'true',
        snoozed: snoozed === 'true',
        grantsUsed: grantsUsed === 'true',
        decided: decided === 'true',
        unseen: unseen === 'true',
      })
      return { status: 200, body: pageView(page, requestItemView) }
    },
  }),
  route({
    method: 'get',
    path: '/v1/requests/:id',
    name: 'getRequest',
    summary: 'Get a request',
    description: 'One request, by id or number; `wait` holds the answer until it is decided',
    access,
    params,
    query: waitQuery,
    headers: z.object({
      'if-none-match': z.string().optional().describe('An `ETag`: `304` if it is still the same'),
    }),
    answers: {
      200: {
        description: 'The request, with the members that the caller may see',
        schema: schemas.requestDetail,
        headers: z.object({ etag: z.string() }),
      },
      304: { description: 'The request is unchanged since the ETag in `If-None-Match`' },
    },
    answer: async (api, { params, query, caller, identity, request, response }) => {
      const record = await waitForRequest(api, response, {
        withinMs: query.wait * 1000,
        read: () => getRequest(api.ctx, caller, { request: params.id }),
        isKnown: () => isStillKnown(api, request, identity),
      })
      const etag = `"${record.version}"`
      if (isMatchedBy(request.get('if-none-match'), etag)) {
        return (response) => void response.set('etag', etag).status(304).end()
      }
      const body = requestDetailView(record, await workspaceRootOf(api, record.workspace))
      return { status: 200, body, headers: { etag } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/requests/:id/content',
    name: 'getContent',
    summary: "Get a request's bytes",
    description:
      'Every byte of what will run or be written, or of one of `namedFiles`; reading it is recorded',
    access,
    params,
    query: schemas.contentQuery,
    answers: {
      200: {
        description: 'The bytes',
        contentTypes: ['text/plain', 'application/octet-stream'],
        headers: z.object({ 'x-content-digest': hash }),
      },
    },
    answer: async (api, { params, query, caller }) => {
      const content = await requestContent(api.ctx, caller, {
        request: params.id,
        ...query,
      })
      const isText = content.contentType === 'text/plain'
      // What an agent wrote is shown as text or saved, never run as a page of this origin.
      return bytesAnswer(content.bytes, {
        'content-type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
        'content-disposition': isText ? 'inline' : 'attachment',
        'x-content-digest': content.digest,
      })
    },
  }),
]

/**
 * Whether an `If-None-Match` names this entity tag: alone, in a list, or as `*`. The comparison is
 * weak (RFC 9110, 13.1.2), since proxies that compress an answer send its tag back as `W/"…"`.
 */
function isMatchedBy(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => tag.replace(/^W\//, '') === etag)
}
