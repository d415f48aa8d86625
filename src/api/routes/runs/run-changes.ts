import { z } from 'zod'
import { readChanges } from '#services/runs/reading/read-changes.ts'
import { findRun } from '#services/runs/visible-run.ts'
import { route } from '../../route/route.ts'
import { pageQuery, runRef } from '../../schemas/common.ts'
import { runChanges } from '../../schemas/runs/changes.ts'

export const runChangesRoutes = [
  route({
    method: 'get',
    path: '/v1/runs/:id/changes',
    name: 'listRunChanges',
    summary: "List a run's changed files",
    description:
      'The files that differ from the start of the run, by path, including those that child runs changed. A file that was changed back is not listed',
    access: { by: 'personOrKey', scope: 'runs:read' },
    params: z.object({ id: runRef }),
    query: pageQuery,
    answers: {
      200: {
        description: 'A page of files, and the number of calls whose changes are not known',
        schema: runChanges,
      },
    },
    answer: async (api, { params, query, caller }) => {
      const runId = await findRun(api.ctx, caller, params.id)
      const { items, ...rest } = await readChanges(api.ctx, caller, { runId, ...query })
      const views = items.map(({ from, requests, ...item }) => ({
        ...item,
        ...(from !== null && { from }),
        requests: [...requests],
      }))
      return { status: 200, body: { items: views, ...rest } }
    },
  }),
]
