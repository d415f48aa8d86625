import { z } from 'zod'
import { readChangeSet } from '#services/runs/reading/read-change-set.ts'
import { findRun } from '#services/runs/visible-run.ts'
import { route } from '../../route/route.ts'
import { runRef } from '../../schemas/common.ts'
import { changeSet, turnNumber } from '../../schemas/requests/change-set.ts'
import { changeSetView } from '../../views/change-set-view.ts'

export const changeSetRoutes = [
  route({
    method: 'get',
    path: '/v1/runs/:id/turns/:n',
    name: 'getChangeSet',
    summary: 'Get a change set',
    description:
      'The calls of one turn in call order, each with its request and the presentation that approvers see',
    access: { by: 'personOrKey', scope: 'runs:read' },
    params: z.object({ id: runRef, n: turnNumber }),
    answers: { 200: { description: 'The turn', schema: changeSet } },
    answer: async (api, { params, caller }) => {
      const of = { runId: await findRun(api.ctx, caller, params.id), turn: params.n }
      return { status: 200, body: changeSetView(await readChangeSet(api.ctx, caller, of)) }
    },
  }),
]
