import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { QueueView } from '#api/schemas/requests/queues.ts'

/** The service may be a little behind the clock of this device. */
const minMs = 5_000
/** Browsers fire at once for times of more than 24 days. */
const maxMs = 86_400_000
/** Where a snooze ended here long ago and not in the service: the clock of this device is ahead. */
const aheadMs = 60_000

/** In how many milliseconds a page asks again for what comes back `at` that instant. Pure. */
export function msUntilReload(at: string, nowMs: number): number {
  const leftMs = Date.parse(at) - nowMs
  return leftMs > -minMs ? Math.min(maxMs, Math.max(minMs, leftMs)) : aheadMs
}

/**
 * Reloads lists and counts when a request that the person snoozed comes back: a snooze is private,
 * so the stream has no event for its end.
 */
export function useSnoozeReturns(
  queues: Pick<UseQueryResult<{ readonly items: readonly QueueView[] }>, 'data' | 'dataUpdatedAt'>,
): void {
  const client = useQueryClient()
  const { data, dataUpdatedAt } = queues
  // An API of an earlier version does not have this field.
  const returns = (data?.items ?? []).flatMap(({ nextReturnAt: at }) => at ?? [])
  const [next = null] = returns.toSorted()
  useEffect(() => {
    if (next === null) return
    const reload = (): void => {
      for (const key of ['queues', 'requests', 'request']) {
        void client.invalidateQueries({ queryKey: [key] })
      }
    }
    const timer = setTimeout(reload, msUntilReload(next, Date.now()))
    return () => clearTimeout(timer)
  }, [client, next, dataUpdatedAt])
}
