import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { BulkAnswer } from '#api/schemas/requests/decisions.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { callApi } from '../../api/call-api.ts'
import { useIntentKey } from '../../api/use-intent-key.ts'
import { announce } from '../../states/announce.tsx'
import type { SeenItem } from './bulk-item.tsx'
import { planBulk } from './plan-bulk.ts'
import { useAttempt } from '../../states/use-attempt.ts'

export type BulkDecision = ReturnType<typeof useBulkDecision>

/** One decision on several requests while it is made, and the answer of the service to it. */
export function useBulkDecision(
  decision: 'approve' | 'deny',
  selected: readonly RequestItem[],
  reason: string,
) {
  const client = useQueryClient()
  // The list stays as it was reviewed, even if new requests arrive.
  const [plan] = useState(() => planBulk(decision, selected))
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const [seen, setSeen] = useState<ReadonlyMap<string, SeenItem>>(new Map())
  const intent = useIntentKey()
  const [answer, setAnswer] = useState<BulkAnswer | null>(null)
  const { attempt, busy, refusal } = useAttempt()
  const remaining = plan.decided.filter((item) => !removed.has(item.id))
  const requests =
    decision === 'approve' ? remaining.filter((item) => seen.has(item.id)) : remaining
  const recordView = useCallback((id: string, view: SeenItem | null) => {
    setSeen((before) => {
      const next = new Map(before)
      if (view === null) next.delete(id)
      else next.set(id, view)
      return next
    })
  }, [])
  const submit = async (): Promise<void> => {
    const optionalReason = reason.trim() === '' ? {} : { reason: reason.trim() }
    const decisions = requests.map((item) => ({
      requestId: item.id,
      decision,
      digest: item.digest,
      revision: item.revision,
      ...(decision === 'approve' && seen.get(item.id)),
      ...optionalReason,
    }))
    await attempt(async () => {
      const body = { decisions }
      const result = await callApi('decideRequests', { body, idempotencyKey: intent.of(body) })
      setAnswer(result)
      const recordedCount = result.items.filter((item) => item.status === 200).length
      announce(`${recordedCount} of ${result.items.length} recorded`)
      void client.invalidateQueries()
    })
  }
  return {
    excluded: plan.excluded,
    /** the requests that nobody removed */
    remaining,
    /** those of them that the decision would count for now */
    requests,
    remove: (id: string): void => setRemoved((before) => new Set([...before, id])),
    recordView,
    needsReason: requests.some((item) => item.risk === 'high') && reason.trim() === '',
    submit,
    busy,
    refusal,
    /** null: not submitted yet */
    answer,
  }
}
