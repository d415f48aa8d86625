import type { BulkDecision } from '#api/schemas/requests/decisions.ts'
import { whyReason } from '#domain/deciding/why-reason.ts'
import { whyAlone, whyClosed, type ShownRequest } from './change-entries.ts'

/** What is chosen for a call; `leave` decides nothing. */
export type CallChoice = 'approve' | 'deny' | 'leave'

/** A call as the page has it: what is chosen, and what of it has been on the screen. */
export interface ChosenCall {
  /** as it was opened: what was read is what is decided */
  readonly request: ShownRequest
  readonly choice: CallChoice
  readonly reason: string
  readonly seen: boolean
  /** it is another revision by now */
  readonly changed: boolean
}

/** What one action would send, and what is chosen and cannot be sent yet, with the reason. */
export interface DecisionPlan {
  readonly decisions: readonly BulkDecision[]
  readonly obstacles: readonly { readonly request: ShownRequest; readonly why: string }[]
}

/** The decisions of a change set in call order, bound to what was shown (product.md 40). Pure. */
export function planDecisions(calls: readonly ChosenCall[]): DecisionPlan {
  const chosen = calls.filter(({ choice }) => choice !== 'leave')
  const isReady = (call: ChosenCall): boolean => whyNotYet(call) === null
  return {
    decisions: chosen.filter(isReady).map(decisionOf),
    obstacles: chosen.flatMap((call) => {
      const why = whyNotYet(call)
      return why === null ? [] : [{ request: call.request, why }]
    }),
  }
}

/** Why a choice does not count yet, as a sentence; null: it does. Pure. */
export function whyNotYet({ request, choice, reason, seen, changed }: ChosenCall): string | null {
  const closed = whyClosed(request)
  if (closed !== null) return `${closed}.`
  if (changed) return 'It changed since you opened it.'
  if (choice === 'approve') {
    const alone = whyAlone(request)
    if (alone !== null) return `${alone}.`
    if (!seen) return 'Not all of it has been on the screen.'
  }
  const why = choice === 'leave' ? null : whyReason(choice, request)
  return why !== null && reason.trim() === '' ? `${why}.` : null
}

function decisionOf({ request, choice, reason }: ChosenCall): BulkDecision {
  const { id: requestId, digest, revision, seen } = request
  const words = reason.trim() === '' ? {} : { reason: reason.trim() }
  if (choice === 'approve') return { requestId, decision: 'approve', digest, revision, seen }
  return { requestId, decision: 'deny', digest, revision, then: 'continue', ...words }
}
