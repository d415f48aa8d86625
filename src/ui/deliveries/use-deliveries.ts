import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { callApi } from '../api/call-api.ts'
import { byCursor } from '../api/queries.ts'
import { announce } from '../states/announce.tsx'
import { showError } from '../states/show-error.ts'

/**
 * A filter of deliveries. `mine`: callbacks to the person's own programs; `dead`: deliveries that
 * failed for good.
 */
export interface DeliveryFilter {
  readonly mine: boolean
  readonly dead: boolean
}

/** Notifications, newest first, ten at a time. */
export function useDeliveries({ mine, dead }: DeliveryFilter) {
  const filter = { limit: 10, ...(mine && { mine: 'true' }), ...(dead && { state: 'dead' }) }
  return useInfiniteQuery({
    queryKey: ['deliveries', filter],
    queryFn: ({ signal, pageParam }) =>
      callApi('listDeliveries', {
        query: { ...filter, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    ...byCursor,
  })
}

/** Resends an ended delivery, and announces the result. */
export function useResend(): (id: string) => Promise<void> {
  const client = useQueryClient()
  return async (id) => {
    try {
      await callApi('resendDelivery', { params: { id } })
      announce('It is being sent again')
    } catch (error) {
      showError(error)
    }
    await client.invalidateQueries({ queryKey: ['deliveries'] })
    await client.invalidateQueries({ queryKey: ['endpoints'] })
  }
}
