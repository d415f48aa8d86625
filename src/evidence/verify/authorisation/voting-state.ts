import { textIn } from '#domain/json/value-in.ts'
import type { DecisionBasis } from '#domain/deciding/decision-basis.ts'
import { numberIn, type LoggedEvent } from '../findings/logged-event.ts'
import { PeopleBehind } from './people-behind.ts'

/** What the events so far say of the votes on a request. */
export interface RequestVotes {
  readonly kind: string
  /** the quorum of the opening's event; `null` after an edit that changed the routing */
  asked: string | null
  escalated: boolean
  revision: number
  /** for a program's call: the digest that policy pre-approved */
  preApproved: string | null
  /** approvals of the current revision, by id of the person */
  readonly votes: Map<string, DecisionBasis | null>
}

/** What the events before a decision or permit say of its request and of people. */
export class VotingState {
  readonly behind = new PeopleBehind()
  readonly #requests = new Map<string, RequestVotes>()
  readonly #disabled = new Map<string, LoggedEvent>()

  /** `undefined`: the event of its opening is not among those so far. */
  votesOn(requestId: string): RequestVotes | undefined {
    return this.#requests.get(requestId)
  }

  /** The event that disabled a person. */
  disablingOf(personId: string): LoggedEvent | undefined {
    return this.#disabled.get(personId)
  }

  /** Adds an event. A vote is added by the judge of its decision. */
  take(event: LoggedEvent): void {
    this.behind.take(event)
    const { type, requestId, detail } = event
    if (type === 'credential.changed' && textIn(detail, 'change') === 'person_disabled') {
      const personId = textIn(detail, 'personId')
      if (personId !== null && !this.#disabled.has(personId)) this.#disabled.set(personId, event)
    }
    if (requestId === null) return
    if (type === 'request.opened') this.#requests.set(requestId, openedVotes(event))
    const request = this.#requests.get(requestId)
    if (request === undefined) return
    if (type === 'call.judged') {
      request.preApproved = textIn(detail, 'verdict') === 'preApproved' ? event.digest : null
    } else if (type === 'request.escalated') request.escalated = true
    else if (type === 'request.revised') {
      request.revision = numberIn(detail, 'revision') ?? request.revision + 1
      request.asked = null
      request.votes.clear()
    }
  }
}

function openedVotes({ detail }: LoggedEvent): RequestVotes {
  return {
    kind: textIn(detail, 'kind') ?? '',
    asked: textIn(detail, 'quorum'),
    escalated: false,
    revision: 1,
    preApproved: null,
    votes: new Map(),
  }
}
