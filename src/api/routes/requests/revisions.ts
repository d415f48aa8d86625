import { z } from 'zod'
import { reviseRequest } from '#services/revising/revise-request.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { route } from '../../route/route.ts'
import { requestRef } from '../../schemas/common.ts'
import { revisionBody } from '../../schemas/requests/request-actions.ts'
import { requestDetail } from '../../schemas/requests/requests.ts'
import { requestDetailView } from '../../views/request-view.ts'
import { workspaceRootOf } from '../../context/api.ts'

export const revisionRoutes = [
  route({
    method: 'post',
    path: '/v1/requests/:id/revisions',
    name: 'reviseRequest',
    summary: 'Revise a request',
    description:
      'Change a call before it is decided; the new revision is decided by its own digest',
    access: { by: 'personOrKey', scope: null },
    params: z.object({ id: requestRef }),
    body: revisionBody,
    answers: {
      200: {
        description: 'The request with its new revision, digest and presentation',
        schema: requestDetail,
      },
    },
    problems: [
      'not_eligible',
      'edits_off',
      'tampered',
      'already_decided',
      'expired',
      'cancelled',
      'stale_digest',
      'stale_revision',
      'digest_required',
      'policy_blocked',
      'workspace_unreachable',
    ],
    answer: async (api, { params, body, caller }) => {
      const { digest, ...changed } = body
      const revised = await reviseRequest(api.ctx, caller, {
        request: params.id,
        ...changed,
        ...(typeof digest === 'string' ? { digest } : {}),
      })
      const record = await getRequest(api.ctx, caller, { request: revised.requestId })
      return {
        status: 200,
        body: requestDetailView(record, await workspaceRootOf(api, record.workspace)),
        headers: { etag: `"${record.version}"` },
      }
    },
  }),
]
