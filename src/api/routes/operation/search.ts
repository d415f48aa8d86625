import { searchTypes, type SearchType } from '#domain/search.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import { searchService } from '#services/search/search-service.ts'
import type { Identity } from '../../identity/identity.ts'
import { route } from '../../route/route.ts'
import { searchAnswer, searchQuery } from '../../schemas/operation/search.ts'

export const searchRoutes = [
  route({
    method: 'get',
    path: '/v1/search',
    name: 'searchService',
    summary: 'Search the service',
    description:
      'Requests, runs, people, workers, files and rules that the caller may see, at most 50',
    access: { by: 'personOrKey', scope: 'requests:read' },
    query: searchQuery,
    answers: { 200: { description: 'What was found', schema: searchAnswer } },
    answer: async (api, { query, caller, identity }) => {
      const types = (query.types ?? searchTypes).filter((type) => mayFind(identity, type))
      const items = await searchService(api.ctx, caller, { q: query.q, types })
      const view = items.map((one) => ({ ...one, title: maskSecrets(one.title) }))
      return { status: 200, body: { items: view } }
    },
  }),
]

/** What a key without the scope for runs does not read elsewhere, it does not find here. */
function mayFind(identity: Identity, type: SearchType): boolean {
  if (identity.kind === 'session' || identity.key.scopes.has('runs:read')) return true
  return type === 'request' || type === 'file'
}
