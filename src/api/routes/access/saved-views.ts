import { z } from 'zod'
import { listSavedViews, removeSavedView, saveView } from '#services/access/saved-views.ts'
import { route } from '../../route/route.ts'
import { id, removed } from '../../schemas/common.ts'
import * as schemas from '../../schemas/access/saved-views.ts'

/** The filters that the caller keeps under names. */
export const savedViewRoutes = [
  route({
    method: 'get',
    path: '/v1/me/views',
    name: 'listSavedViews',
    summary: 'List saved views',
    description: "The caller's saved filters of the inbox and of the trail, by name",
    access: { by: 'person' },
    answers: { 200: { description: 'Views', schema: schemas.savedViewList } },
    answer: async (api, { caller }) => ({
      status: 200,
      body: { items: await listSavedViews(api.ctx, caller) },
    }),
  }),
  route({
    method: 'put',
    path: '/v1/me/views',
    name: 'saveView',
    summary: 'Save a view',
    description:
      'Save the filters of a page under a name. A view of the same page and name is replaced',
    access: { by: 'person' },
    body: schemas.savedViewBody,
    answers: { 200: { description: 'The view', schema: schemas.savedView } },
    problems: ['conflict'],
    answer: async (api, { body, caller }) => ({
      status: 200,
      body: await saveView(api.ctx, caller, body),
    }),
  }),
  route({
    method: 'delete',
    path: '/v1/me/views/:id',
    name: 'removeSavedView',
    summary: 'Remove a saved view',
    description: "Remove one of the caller's views",
    access: { by: 'person' },
    params: z.object({ id: id.describe('Id of a saved view') }),
    answers: { 200: { description: 'Removed', schema: removed } },
    answer: async (api, { params, caller }) => {
      await removeSavedView(api.ctx, caller, params.id)
      return { status: 200, body: { removed: true } }
    },
  }),
]
