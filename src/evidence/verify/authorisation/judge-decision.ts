import { textIn } from '#domain/json/value-in.ts'
import type { DecisionBasis } from '#domain/deciding/decision-basis.ts'
import { quorumTeams, quorumText } from '#domain/deciding/quorum.ts'
import { isCovered, type Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { referenceTo, writtenWithinMs, type LoggedEvent } from '../findings/logged-event.ts'
import { readBasis } from './read-basis.ts'
import type { RequestVotes, VotingState } from './voting-state.ts'

/** A decision, with the events so far and where findings go. */
interface DecisionToJudge {
  readonly findings: Findings
  readonly extent: Extent
  readonly state: VotingState
  readonly event: LoggedEvent
  readonly requestId: string
}

/**
 * Judges a decision by its recorded basis, and adds its vote. The person must be entitled, in time,
 * and not behind the request unless the queue permits that.
 */
export function judgeDecision(decision: DecisionToJudge): void {
  const { findings, state, event, requestId } = decision
  const requestVotes = state.votesOn(requestId)
  const basis = readBasis(event.detail)
  const { actor } = event
  if (actor.type !== 'person' || actor.id === null) {
    findings.fail(`a ${actor.type} decided; only people do`, referenceTo(event))
    return
  }
  if (requestVotes !== undefined && textIn(event.detail, 'decision') === 'approve') {
    if (requestVotes.votes.has(actor.id)) {
      findings.fail('this person had decided this revision before', referenceTo(event))
    }
    requestVotes.votes.set(actor.id, basis)
  }
  if (basis === null) {
    findings.cannotJudge('the decision does not say what it was judged by', referenceTo(event))
    return
  }
  judgePerson(decision, actor.id, basis)
  if (requestVotes !== undefined) judgeQuorum(decision, requestVotes, basis)
}

function judgeQuorum(
  { findings, event }: DecisionToJudge,
  { asked: votes, escalated }: RequestVotes,
  { quorum }: DecisionBasis,
): void {
  const at = referenceTo(event)
  const places = quorum.any.map((all) => all.map(({ team, count }) => ({ team, count })))
  const own = quorumText({ any: places })
  if (votes !== null && votes !== own) {
    findings.fail(`the request asked for ${votes}, and the decision was judged by ${own}`, at)
  }
  if (!escalated && quorum.any.flat().some(({ also }) => also !== undefined)) {
    findings.fail('it was judged by a quorum of an escalation, and there was none', at)
  }
}

function judgePerson(
  { findings, extent, state, event, requestId }: DecisionToJudge,
  personId: string,
  basis: DecisionBasis,
): void {
  const at = referenceTo(event)
  const end = state.disablingOf(personId)
  if (end !== undefined)
    findings.fail(`the person who decided was disabled by event ${end.index}`, at)
  if (!(Date.parse(basis.judgedAt) < Date.parse(basis.expiresAt))) {
    findings.fail(`the request expired at ${basis.expiresAt}`, at)
  }
  if (!(Math.abs(event.atMs - Date.parse(basis.judgedAt)) < writtenWithinMs)) {
    findings.fail(`it was judged at ${basis.judgedAt}, which is not when it was written`, at)
  }
  // Somebody who may message the run may answer its question too, which approves nothing.
  const isAnswer = state.votesOn(requestId)?.kind === 'question'
  if (!isAnswer && !basis.teams.some((team) => quorumTeams(basis.quorum).includes(team))) {
    findings.fail('the person who decided was in no team that the quorum names', at)
  }
  const derived = state.behind.of(requestId)
  for (const [person, by] of derived.people) {
    if (basis.principals.includes(person)) continue
    findings.fail(
      `${person} is behind the request by event ${by.index}, which it was not judged by`,
      at,
    )
  }
  if (!derived.isKnown && isCovered(extent, requestId)) {
    findings.cannotJudge('who started the run is not among the events', at)
  }
  if (isAnswer) return
  const ids = [personId, ...(basis.otherIds ?? [])]
  const isBehind = ids.some((id) => basis.principals.includes(id) || derived.people.has(id))
  const isMarked = event.detail['selfApproved'] === true
  if (isBehind && !basis.selfApproval) {
    findings.fail(
      'the person who decided is behind the request, and the queue allows no self-approval',
      at,
    )
  } else if (isBehind !== isMarked) {
    findings.fail(`it is ${isMarked ? '' : 'not '}marked as a self-approval`, at)
  }
  const editors = state.behind.editorsOf(requestId)
  const isEditor = ids.some((id) => editors.has(id))
  if (isEditor !== (event.detail['edited'] === true)) {
    findings.fail(
      `the person who decided ${isEditor ? 'edited' : 'did not edit'} the call, and it is marked otherwise`,
      at,
    )
  }
}
