import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { notifications } from '@mantine/notifications'
import type { WebhookDeliveryList } from '../../api/schemas/notifications/webhooks.ts'
import { callApi } from '../api/call-api.ts'
import { announce } from '../shell/announce.tsx'

/** Which notifications: `mine` are callbacks to programs with one's own keys; `dead` those that were given up. */
export interface DeliveryFilter {
  readonly mine: boolean
  readonly dead: boolean
}

/** Notifications, newest first, ten at a time. */
export function useDeliveries({ mine, dead }: DeliveryFilter) {
  const filter = `limit=10${mine ? '&mine=true' : ''}${dead ? '&state=dead' : ''}`
  return useInfiniteQuery({
    queryKey: ['deliveries', filter],
    queryFn: ({ signal, pageParam }) =>
      callApi<WebhookDeliveryList>(
        `/v1/webhooks/deliveries?${filter}${pageParam === '' ? '' : `&cursor=${encodeURIComponent(pageParam)}`}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page: WebhookDeliveryList) => page.nextCursor,
  })
}

/** Sends one that has ended again, and says so, or why not. */
export function useResend(): (id: string) => Promise<void> {
  const client = useQueryClient()
  return async (id) => {
    try {
      await callApi(`/v1/webhooks/deliveries/${id}/resend`, { body: {} })
      announce('It is being sent again')
    } catch (error) {
      notifications.show({ color: 'red', message: (error as Error).message })
    }
    await client.invalidateQueries({ queryKey: ['deliveries'] })
    await client.invalidateQueries({ queryKey: ['endpoints'] })
  }
}
