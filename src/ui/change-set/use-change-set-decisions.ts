import { useCallback, useRef } from 'react'
import type { BulkDecision, BulkItem } from '#api/schemas/requests/decisions.ts'
import { callApi } from '../api/call-api.ts'
import { useConnection } from '../live/live-provider.tsx'
import { useSubmit, type SubmitOptions } from '../deciding/decision/use-submit.ts'
import { announce } from '../states/announce.tsx'
import { hasChanged, whyClosed, type ChangeEntry } from './change-entries.ts'
import { planDecisions, type CallChoice } from './plan-decisions.ts'
import type { SeenCardState } from './use-cards.ts'

export type ChangeSetDecisions = ReturnType<typeof useChangeSetDecisions>

/** The decisions that the choices on the page make, and the action that sends them. */
export function useChangeSetDecisions(
  runId: string,
  turn: string,
  states: readonly { readonly entry: ChangeEntry; readonly state: SeenCardState }[],
  record: (items: readonly BulkItem[], choiceOf: (requestId: string) => CallChoice) => void,
) {
  const offline = useConnection() === 'offline'
  const { submission, submit } = useSubmit(
    useCallback(
      (decisions: readonly BulkDecision[], { idempotencyKey }: SubmitOptions) =>
        callApi('decideRequests', {
          body: { turn: { runId, turn: Number(turn) }, decisions: [...decisions] },
          idempotencyKey,
        }),
      [runId, turn],
    ),
  )
  const busy = submission.state === 'submitting'
  const summary = useRef<HTMLParagraphElement>(null)
  const { decisions, obstacles } = planDecisions(
    states.flatMap(({ entry, state }) => {
      const { openedCall, choice, reason, seen } = state
      if (openedCall === null || entry.approval === null) return []
      // It was decided elsewhere meanwhile, so there is nothing to send.
      const { request: newest } = entry.approval
      if (whyClosed(newest) !== null) return []
      const { request } = openedCall
      return [{ request, choice, reason, seen, changed: hasChanged(request, newest) }]
    }),
  )
  const send = async (): Promise<void> => {
    if (busy || offline || decisions.length === 0) return
    const answer = await submit(decisions)
    if (answer === null) return
    const choices = new Map(decisions.map((one) => [one.requestId, one.decision]))
    record(answer.items, (id) => choices.get(id) ?? 'leave')
    const recordedCount = answer.items.filter((item) => item.status === 200).length
    announce(`${recordedCount} of ${answer.items.length} recorded`)
    summary.current?.focus()
  }
  return {
    count: decisions.length,
    /** the choices that cannot be sent yet, with the reasons */
    obstacles,
    send,
    busy,
    offline,
    refusal: submission.state === 'refused' ? submission.refusal : null,
    /** the element of the summary, which takes the focus once the decisions are recorded */
    summary,
  }
}
