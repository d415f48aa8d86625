import { textIn, valueIn } from '#domain/json/value-in.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { RequestState } from '#domain/requests/request.ts'
import {
  isEnd,
  requestTransitions,
  transition,
  type RequestEvent,
} from '#domain/requests/transitions.ts'
import type { Findings } from '../findings/finding.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

/** The transitions of these types of event; others do not change the request. */
const effects: Readonly<Partial<Record<string, RequestEvent>>> = {
  'request.revised': 'revise',
  'request.extended': 'extend',
  'request.expired': 'expire',
  'request.cancelled': 'cancel',
}

/** The events of one request so far: the last one, which the next must name, and the state. */
export class RequestChain {
  readonly #findings: Findings
  readonly #kind: string
  #sequence: number
  #hash: string
  #state: RequestState = 'pending'

  /** Begins with the request's first event. */
  constructor(findings: Findings, event: LoggedEvent) {
    this.#findings = findings
    this.#kind = textIn(event.detail, 'kind') ?? ''
    this.#sequence = event.sequence ?? 0
    this.#hash = hashBytes(event.text)
    if (event.sequence !== 1 || event.previous !== null) {
      const number = event.sequence ?? 'none'
      this.#fail(event, `the request's first event has number ${number} of its chain`)
    }
    if (event.type !== 'request.opened') {
      this.#fail(event, `the request's first event is ${event.type}, not request.opened`)
    }
  }

  get state(): RequestState {
    return this.#state
  }

  /** Takes the request's next event. Returns whether the request ends with it. */
  follow(event: LoggedEvent): boolean {
    this.#link(event)
    if (event.type === 'request.opened') this.#fail(event, 'the request was opened before')
    const effect = this.#effectOf(event)
    if (effect === null) return false
    const state = transition(requestTransitions, this.#state, effect)
    if (state === null) {
      this.#fail(event, `a request that is ${this.#state} does not accept ${event.type}`)
      return false
    }
    this.#state = state
    return isEnd(requestTransitions, state)
  }

  #link(event: LoggedEvent): void {
    const { sequence } = event
    const next = this.#sequence + 1
    if (sequence !== next) {
      const expected = `number ${next} of the request's chain was to come`
      this.#fail(event, `${expected}, and this is number ${sequence ?? 'none'}`)
    } else if (event.previous !== this.#hash) {
      const number = `number ${sequence} of the request's chain`
      this.#fail(event, `${number} does not name the event before it`)
    }
    this.#sequence = sequence ?? this.#sequence
    this.#hash = hashBytes(event.text)
  }

  /** The transition of an event. The quorum is met when the permit is issued. */
  #effectOf(event: LoggedEvent): RequestEvent | null {
    const kind = this.#kind
    if (event.type === 'decision.recorded') {
      if (textIn(event.detail, 'decision') === 'deny') return 'deny'
      // A question and an outcome check end with one person's answer.
      return kind === 'question' || kind === 'outcome_check' ? 'approve' : 'count'
    }
    if (event.type === 'permit.issued') {
      return kind === 'outcome_check' && this.#state === 'approved' ? null : 'approve'
    }
    return valueIn(effects, event.type) ?? null
  }

  #fail(event: LoggedEvent, problem: string): void {
    this.#findings.fail(problem, referenceTo(event))
  }
}
