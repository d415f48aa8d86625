import type { DecisionBasis } from '#domain/deciding/decision-basis.ts'
import { quorumTeams, quorumText, tally } from '#domain/deciding/quorum.ts'
import type { Check, Extent } from '../findings/check.ts'
import { isCovered } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { numberIn, referenceTo, textIn, type LoggedEvent } from '../findings/logged-event.ts'
import { PeopleBehind } from './people-behind.ts'
import { readBasis, readCounted } from './read-basis.ts'

interface RequestVotes {
  readonly kind: string
  /**
   * the quorum in the event of the request's opening; `null` after an edit has changed its routing
   */
  asked: string | null
  escalated: boolean
  revision: number
  /** for a program's call: the digest that policy pre-approved */
  preApproved: string | null
  /** approvals of the current revision */
  readonly votes: Map<string, DecisionBasis | null>
}

/**
 * A decision's event has at most this much later a time than its judgement in the same transaction.
 */
const writtenWithinMs = 60_000

/**
 * Authorisation: a person who was entitled made every decision, nobody behind the request decided
 * unless the queue permitted it and the event says so, and each permit depends on a quorum that is
 * met when it is counted again.
 */
export function checkAuthorisation(findings: Findings, extent: Extent): Check {
  const behind = new PeopleBehind()
  const votesByRequest = new Map<string, RequestVotes>()
  /** by id of a person: the event that disabled them */
  const disabled = new Map<string, LoggedEvent>()
  let decisions = 0
  let permits = 0

  function decide(event: LoggedEvent, requestId: string): void {
    const requestVotes = votesByRequest.get(requestId)
    const basis = readBasis(event.detail)
    const { actor } = event
    decisions += 1
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
    judgePerson(event, requestId, actor.id, basis)
    if (requestVotes !== undefined) judgeQuorum(event, requestVotes, basis)
  }

  function judgeQuorum(
    event: LoggedEvent,
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
    event: LoggedEvent,
    requestId: string,
    personId: string,
    basis: DecisionBasis,
  ): void {
    const at = referenceTo(event)
    const end = disabled.get(personId)
    if (end !== undefined)
      findings.fail(`the person who decided was disabled by event ${end.index}`, at)
    if (!(Date.parse(basis.judgedAt) < Date.parse(basis.expiresAt))) {
      findings.fail(`the request expired at ${basis.expiresAt}`, at)
    }
    if (!(Math.abs(event.atMs - Date.parse(basis.judgedAt)) < writtenWithinMs)) {
      findings.fail(`it was judged at ${basis.judgedAt}, which is not when it was written`, at)
    }
    // Somebody who may write to the run may answer its question too, which approves nothing.
    const isAnswer = votesByRequest.get(requestId)?.kind === 'question'
    if (!isAnswer && !basis.teams.some((team) => quorumTeams(basis.quorum).includes(team))) {
      findings.fail('the person who decided was in no team that the quorum names', at)
    }
    const derived = behind.of(requestId)
    for (const [person, by] of derived.people) {
      if (basis.principals.includes(person)) continue
      findings.fail(
        `${person} is behind the request by event ${by.index}, which it was not judged by`,
        at,
      )
    }
    if (!derived.known && isCovered(extent, requestId)) {
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
    const editors = behind.editorsOf(requestId)
    const isEditor = ids.some((id) => editors.has(id))
    if (isEditor !== (event.detail['edited'] === true)) {
      findings.fail(
        `the person who decided ${isEditor ? 'edited' : 'did not edit'} the call, and it is marked otherwise`,
        at,
      )
    }
  }

  function permit(event: LoggedEvent, requestVotes: RequestVotes): void {
    const at = referenceTo(event)
    permits += 1
    if (requestVotes.kind === 'question')
      findings.fail('an answer to a question allows no permit', at)
    if (event.actor.type === 'policy') {
      const isItsOwn = requestVotes.kind === 'external' && requestVotes.preApproved === event.digest
      if (!isItsOwn)
        findings.fail('policy issued a permit for a call that it had not pre-approved', at)
      return
    }
    const countedVotes = readCounted(event.detail)
    const [basis] = [...requestVotes.votes.values()].flatMap((one) => one ?? []).slice(-1)
    if (countedVotes === null || basis === undefined) {
      findings.cannotJudge('the permit does not say which votes were counted', at)
      return
    }
    for (const [place, { personId }] of countedVotes.entries()) {
      if (!requestVotes.votes.has(personId)) {
        findings.fail(`it counts a vote of ${personId}, who did not approve this revision`, at)
      }
      const others = requestVotes.votes.get(personId)?.otherIds ?? []
      const twin = countedVotes.slice(0, place).find((vote) => others.includes(vote.personId))
      if (twin !== undefined) {
        findings.fail(`it counts ${personId} and ${twin.personId}, who are one person`, at)
      }
      const end = disabled.get(personId)
      if (end !== undefined) {
        findings.fail(`it counts a vote of ${personId}, whom event ${end.index} disabled`, at)
      }
    }
    if (requestVotes.kind === 'outcome_check') return
    const votes = countedVotes.map(({ personId, team }) => ({ personId, teams: [team] }))
    const { met, missing } = tally(basis.quorum, votes)
    if (met) return
    const needs = quorumText({ any: [missing] })
    findings.fail(`the quorum ${quorumText(basis.quorum)} is not met: ${needs} is missing`, at)
  }

  return {
    take(event) {
      behind.take(event)
      const { type, requestId } = event
      if (type === 'credential.changed' && textIn(event.detail, 'change') === 'person_disabled') {
        const personId = textIn(event.detail, 'personId')
        if (personId !== null && !disabled.has(personId)) disabled.set(personId, event)
      }
      if (requestId === null) return
      const requestVotes = votesByRequest.get(requestId)
      if (type === 'request.opened') votesByRequest.set(requestId, ballotOf(event))
      else if (type === 'decision.recorded') decide(event, requestId)
      else if (type === 'permit.issued' && requestVotes !== undefined) permit(event, requestVotes)
      else if (type === 'call.judged' && requestVotes !== undefined) {
        requestVotes.preApproved =
          textIn(event.detail, 'verdict') === 'preApproved' ? event.digest : null
      } else if (type === 'request.escalated' && requestVotes !== undefined)
        requestVotes.escalated = true
      else if (type === 'request.revised' && requestVotes !== undefined) {
        requestVotes.revision = numberIn(event.detail, 'revision') ?? requestVotes.revision + 1
        requestVotes.asked = null
        requestVotes.votes.clear()
      }
    },
    end: () => findings.note(`${decisions} decisions, ${permits} permits`),
  }
}

function ballotOf(event: LoggedEvent): RequestVotes {
  return {
    kind: textIn(event.detail, 'kind') ?? '',
    asked: textIn(event.detail, 'quorum'),
    escalated: false,
    revision: 1,
    preApproved: null,
    votes: new Map(),
  }
}
