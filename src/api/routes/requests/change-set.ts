import { z } from 'zod'
import {
  readChangeSet,
  type ChangeSetRecord,
  type PresentedRequest,
} from '#services/runs/reading/read-change-set.ts'
import { findRun } from '#services/runs/visible-run.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import { route } from '../../route/route.ts'
import { runRef } from '../../schemas/common.ts'
import { changeSet, turnNumber, type ChangeSet } from '../../schemas/requests/change-set.ts'
import { answerOf } from '../../views/answer-of.ts'
import { requestItemView } from '../../views/request-view.ts'

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

/** Presentations are not masked, because people decide by them. Titles are masked as in lists. */
function changeSetView({ task, calls }: ChangeSetRecord): ChangeSet {
  return {
    task: answerOf(task),
    calls: calls.map(({ shown: record, attachments, ...call }) => ({
      ...call,
      title: maskSecrets(call.title),
      ...(record !== null && shownView(record)),
      attachments: attachments.map(shownView),
    })),
  }
}

function shownView({ request, presentation }: PresentedRequest) {
  const { seen, signatureRequired, assumes, comments } = request
  return {
    request: {
      ...requestItemView(request),
      ...answerOf({ seen, signatureRequired, assumes, comments }),
    },
    presentation: answerOf(presentation),
  }
}
