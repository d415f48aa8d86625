import type { Check, Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { judgeDecision } from './judge-decision.ts'
import { VotingState, type RequestVotes } from './voting-state.ts'
import { quorumText, tally } from '#domain/deciding/quorum.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'
import { readCounted } from './read-basis.ts'

/**
 * Authorisation: every decision was made by a person who was entitled to it. Nobody behind the
 * request decided unless the queue permitted it and the event says so. Each permit depends on a
 * quorum that is met when it is counted again.
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
    end: () =>
      findings.describe(`${countWords(decisions, 'decision')}, ${countWords(permits, 'permit')}`),
  }
}

/**
 * Judges a permit by the votes of its request: one of the policy is for a call that it had
 * pre-approved; any other counts approvals of this revision that meet the quorum.
 */
function judgePermit(
  findings: Findings,
  state: VotingState,
  event: LoggedEvent,
  request: RequestVotes,
): void {
  const at = referenceTo(event)
  if (request.kind === 'question') findings.fail('an answer to a question allows no permit', at)
  if (event.actor.type === 'policy') {
    const isItsOwn = request.kind === 'external' && request.preApproved === event.digest
    if (!isItsOwn) {
      findings.fail('policy issued a permit for a call that it had not pre-approved', at)
    }
    return
  }
  const countedVotes = readCounted(event.detail)
  const [basis] = [...request.votes.values()].flatMap((one) => one ?? []).slice(-1)
  if (countedVotes === null || basis === undefined) {
    findings.cannotJudge('the permit does not say which votes were counted', at)
    return
  }
  for (const [index, { personId }] of countedVotes.entries()) {
    if (!request.votes.has(personId)) {
      findings.fail(`it counts a vote of ${personId}, who did not approve this revision`, at)
    }
    const others = request.votes.get(personId)?.otherIds ?? []
    const twin = countedVotes.slice(0, index).find((vote) => others.includes(vote.personId))
    if (twin !== undefined) {
      findings.fail(`it counts ${personId} and ${twin.personId}, who are one person`, at)
    }
    const end = state.disablingOf(personId)
    if (end !== undefined) {
      findings.fail(`it counts a vote of ${personId}, whom event ${end.index} disabled`, at)
    }
  }
  if (request.kind === 'outcome_check') return
  const votes = countedVotes.map(({ personId, team }) => ({ personId, teams: [team] }))
  const { met, missing } = tally(basis.quorum, votes)
  if (met) return
  const needs = quorumText({ any: [missing] })
  findings.fail(`the quorum ${quorumText(basis.quorum)} is not met: ${needs} is missing`, at)
}
