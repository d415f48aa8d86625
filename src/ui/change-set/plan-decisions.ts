import type { BulkDecision } from '#api/schemas/requests/decisions.ts'
import { whyReason } from '#domain/deciding/why-reason.ts'
import { whyAlone, whyClosed, type PresentedRequest } from './change-entries.ts'

/** The choice for a call; `leave` decides nothing. */
export type CallChoice = 'approve' | 'deny' | 'leave'

/** A call on the page: the choice, and whether all of it has been on the screen. */
export interface ChosenCall {
  /** the request as it was opened, to which the decision is bound */
  readonly request: PresentedRequest
  readonly choice: CallChoice
  readonly reason: string
  readonly seen: boolean
  /** a newer revision exists */
  readonly changed: boolean
}

/**
 * The decisions that one action sends, and the choices that cannot be sent yet, with the reasons.
 */
export interface DecisionPlan {
  readonly decisions: readonly BulkDecision[]
  readonly obstacles: readonly { readonly request: PresentedRequest; readonly why: string }[]
}

/**
 * The decisions of a change set in call order, bound to the shown revisions (product.md 40). Pure.
 */
export function planDecisions(calls: readonly ChosenCall[]): DecisionPlan {
  const chosenCalls = calls.filter(({ choice }) => choice !== 'leave')
  const isReady = (call: ChosenCall): boolean => whyNotYet(call) === null
  return {
    decisions: chosenCalls.filter(isReady).map(decisionOf),
    obstacles: chosenCalls.flatMap((call) => {
      const why = whyNotYet(call)
      return why === null ? [] : [{ request: call.request, why }]
    }),
  }
}

/** Why a choice cannot be sent yet, as a sentence; null: it can. Pure. */
function whyNotYet({ request, choice, reason, seen, changed }: ChosenCall): string | null {
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
