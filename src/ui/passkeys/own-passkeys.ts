import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../api/call-api.ts'
import { everyPage } from '../api/every-page.ts'

/** The person's passkeys. */
export const ownPasskeysQuery = queryOptions({
  queryKey: ['credentials', 'me'],
  queryFn: ({ signal }) => everyPage((page) => callApi('listCredentials', { query: page, signal })),
})
