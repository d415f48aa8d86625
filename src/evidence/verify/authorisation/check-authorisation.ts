import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { judgeDecision } from './judge-decision.ts'
import { judgePermit } from './judge-permit.ts'
import { VotingState } from './voting-state.ts'

/**
 * Authorisation: a person who was entitled made every decision, nobody behind the request decided
 * unless the queue permitted it and the event says so, and each permit depends on a quorum that is
 * met when it is counted again.
 */
export function checkAuthorisation(findings: Findings, extent: Extent): Check {
  const state = new VotingState()
  let decisions = 0
  let permits = 0
  return {
    take(event) {
      state.take(event)
      const { type, requestId } = event
      if (requestId === null) return
      const request = state.votesOn(requestId)
      if (type === 'decision.recorded') {
        decisions += 1
        judgeDecision({ findings, extent, state, event, requestId })
      } else if (type === 'permit.issued' && request !== undefined) {
        permits += 1
        judgePermit(findings, state, event, request)
      }
    },
    end: () => findings.note(`${decisions} decisions, ${permits} permits`),
  }
}
