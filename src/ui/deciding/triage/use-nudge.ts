import { notifications } from '@mantine/notifications'
import type { QueryKey } from '@tanstack/react-query'
import { useRef } from 'react'
import { callApi } from '../../api/call-api.ts'
import { useAct } from '../../states/use-act.ts'

/**
 * A function that reminds the people who can decide a request, and shows how many are notified. It
 * reloads the queries under `queryKey`. The button keeps the focus: it is not disabled meanwhile,
 * and a second press during the call does nothing.
 */
export function useNudge(queryKey: QueryKey): (requestId: string) => Promise<void> {
  const act = useAct(queryKey)
  const isBusy = useRef(false)
  return async (requestId) => {
    if (isBusy.current) return
    isBusy.current = true
    await act(async () => {
      try {
        const { told: count } = await callApi('nudgeRequest', { params: { id: requestId } })
        notifications.show({ message: nudgeWords(count) })
      } finally {
        // The reload that follows may take long.
        isBusy.current = false
      }
    })
  }
}

function nudgeWords(count: number): string {
  if (count === 0) return 'Nobody is notified: nobody who can still decide it is here'
  return count === 1 ? 'One person is notified' : `${count} people are notified`
}
