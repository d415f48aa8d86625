import { z } from 'zod'
import { listGrants } from '#services/grants/list-grants.ts'
import { revokeGrant } from '#services/grants/revoke-grant.ts'
import { findRun } from '#services/runs/visible-run.ts'
import { route } from '../../route/route.ts'
import { id, revoked, runRef } from '../../schemas/common.ts'
import { grantList } from '../../schemas/policy/grants.ts'
import { answerOf } from '../../views/answer-of.ts'

export const grantRoutes = [
  route({
    method: 'get',
    path: '/v1/runs/:id/grants',
    name: 'listGrants',
    summary: 'List grants',
    description: "Approvals for more than one call, given in the run's root run",
    access: { by: 'personOrKey', scope: 'runs:read' },
    params: z.object({ id: runRef }),
    answers: { 200: { description: 'Grants, newest first', schema: grantList } },
    answer: async (api, { params, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const grants = await listGrants(api.ctx, caller, { runId })
      return { status: 200, body: { items: answerOf(grants) } }
    },
  }),
  route({
    method: 'delete',
    path: '/v1/grants/:id',
    name: 'revokeGrant',
    summary: 'Revoke a grant',
    description: 'Revoke a grant with immediate effect',
    access: { by: 'personOrKey', scope: null },
    params: z.object({ id: id.describe('Id of a grant') }),
    answers: { 200: { description: 'Revoked', schema: revoked } },
    answer: async (api, { params, caller }) => {
      await revokeGrant(api.ctx, caller, { grantId: params.id })
      return { status: 200, body: { revoked: true } }
    },
  }),
]
