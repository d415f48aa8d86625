import type { DecisionBasis } from '../../../domain/deciding/decision-basis.ts'
import { quorumTeams, quorumText, tally } from '../../../domain/deciding/quorum.ts'
import type { Check, Extent } from '../check.ts'
import { isGiven } from '../check.ts'
import type { Findings } from '../finding.ts'
import { numberIn, referenceTo, textIn, type LoggedEvent } from '../logged-event.ts'
import { PeopleBehind } from './people-behind.ts'
import { readBasis, readCounted } from './read-basis.ts'

interface Ballot {
  readonly kind: string
  /** the quorum as the request's opening tells it; `null` once an edit has routed it anew */
  asked: string | null
  escalated: boolean
  revision: number
  /** of the call of a program that is no run of ours: the digest that policy pre-approved */
  preApproved: string | null
  /** approvals of the current revision */
  readonly votes: Map<string, DecisionBasis | null>
}

/** How long after a decision was judged, in one transaction, its event is dated at the latest. */
const writtenWithinMs = 60_000

/**
 * Authorisation: every decision was a person's who might take it, nobody behind the request decided but where the queue
 * allowed that and it is marked, and each permit rests on a quorum that is met when it is counted again.
 */
export function checkAuthorisation(findings: Findings, extent: Extent): Check {
  const behind = new PeopleBehind()
  const ballots = new Map<string, Ballot>()
  /** id of a person: the event that disabled them */
  const disabled = new Map<string, LoggedEvent>()
  let decisions = 0
  let permits = 0

  function decide(event: LoggedEvent, requestId: string): void {
    const ballot = ballots.get(requestId)
    const basis = readBasis(event.detail)
    const { actor } = event
    decisions += 1
    if (actor.type !== 'person' || actor.id === null) {
      findings.fail(`a ${actor.type} decided; only people do`, referenceTo(event))
      return
    }
    if (ballot !== undefined && textIn(event.detail, 'decision') === 'approve') {
      if (ballot.votes.has(actor.id)) {
        findings.fail('this person had decided this revision before', referenceTo(event))
      }
      ballot.votes.set(actor.id, basis)
    }
    if (basis === null) {
      findings.cannotJudge('the decision does not say what it was judged by', referenceTo(event))
      return
    }
    judgePerson(event, requestId, actor.id, basis)
    if (ballot !== undefined) judgeQuorum(event, ballot, basis)
  }

  function judgeQuorum(
    event: LoggedEvent,
    { asked, escalated }: Ballot,
    { quorum }: DecisionBasis,
  ): void {
    const at = referenceTo(event)
    const places = quorum.any.map((all) => all.map(({ team, count }) => ({ team, count })))
    const own = quorumText({ any: places })
    if (asked !== null && asked !== own) {
      findings.fail(`the request asked for ${asked}, and the decision was judged by ${own}`, at)
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
    if (end !== undefined) findings.fail(`its giver was disabled by event ${end.index}`, at)
    if (!(Date.parse(basis.judgedAt) < Date.parse(basis.expiresAt))) {
      findings.fail(`the request expired at ${basis.expiresAt}`, at)
    }
    if (!(Math.abs(event.atMs - Date.parse(basis.judgedAt)) < writtenWithinMs)) {
      findings.fail(`it was judged at ${basis.judgedAt}, which is not when it was written`, at)
    }
    if (!basis.teams.some((team) => quorumTeams(basis.quorum).includes(team))) {
      findings.fail('its giver was in no team that the quorum names', at)
    }
    const derived = behind.of(requestId)
    for (const [person, by] of derived.people) {
      if (basis.principals.includes(person)) continue
      findings.fail(
        `${person} is behind the request by event ${by.index}, which it was not judged by`,
        at,
      )
    }
    if (!derived.known && isGiven(extent, requestId)) {
      findings.cannotJudge('who started the run is not among the events', at)
    }
    const isBehind = basis.principals.includes(personId) || derived.people.has(personId)
    const isMarked = event.detail['selfApproved'] === true
    if (isBehind && !basis.selfApproval) {
      findings.fail('its giver is behind the request, and the queue allows no self-approval', at)
    } else if (isBehind !== isMarked) {
      findings.fail(`it is ${isMarked ? '' : 'not '}marked as a self-approval`, at)
    }
    const revision = numberIn(event.detail, 'revision') ?? 0
    const isEditor = behind.editorOf(requestId, revision) === personId
    if (isEditor !== (event.detail['edited'] === true)) {
      findings.fail(
        `its giver ${isEditor ? 'edited' : 'did not edit'} the call, and it is marked otherwise`,
        at,
      )
    }
  }

  function permit(event: LoggedEvent, ballot: Ballot): void {
    const at = referenceTo(event)
    permits += 1
    if (event.actor.type === 'policy') {
      const isItsOwn = ballot.kind === 'external' && ballot.preApproved === event.digest
      if (!isItsOwn) findings.fail('policy gave a permit for what it had not pre-approved', at)
      return
    }
    const counted = readCounted(event.detail)
    const [basis] = [...ballot.votes.values()].flatMap((one) => one ?? []).slice(-1)
    if (counted === null || basis === undefined) {
      findings.cannotJudge('the permit does not say which votes were counted', at)
      return
    }
    for (const { personId } of counted) {
      if (!ballot.votes.has(personId)) {
        findings.fail(`it counts a vote of ${personId}, who did not approve this revision`, at)
      }
      const end = disabled.get(personId)
      if (end !== undefined) {
        findings.fail(`it counts a vote of ${personId}, whom event ${end.index} disabled`, at)
      }
    }
    if (ballot.kind === 'outcome_check') return
    const votes = counted.map(({ personId, team }) => ({ personId, teams: [team] }))
    const { met, missing } = tally(basis.quorum, votes)
    if (met) return
    const lacking = quorumText({ any: [missing] })
    findings.fail(`the quorum ${quorumText(basis.quorum)} is not met: ${lacking} is missing`, at)
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
      const ballot = ballots.get(requestId)
      if (type === 'request.opened') ballots.set(requestId, ballotOf(event))
      else if (type === 'decision.recorded') decide(event, requestId)
      else if (type === 'permit.issued' && ballot !== undefined) permit(event, ballot)
      else if (type === 'call.judged' && ballot !== undefined) {
        ballot.preApproved = textIn(event.detail, 'verdict') === 'preApproved' ? event.digest : null
      } else if (type === 'request.escalated' && ballot !== undefined) ballot.escalated = true
      else if (type === 'request.revised' && ballot !== undefined) {
        ballot.revision = numberIn(event.detail, 'revision') ?? ballot.revision + 1
        ballot.asked = null
        ballot.votes.clear()
      }
    },
    end: () => findings.note(`${decisions} decisions, ${permits} permits`),
  }
}

function ballotOf(event: LoggedEvent): Ballot {
  return {
    kind: textIn(event.detail, 'kind') ?? '',
    asked: textIn(event.detail, 'quorum'),
    escalated: false,
    revision: 1,
    preApproved: null,
    votes: new Map(),
  }
}
