import { hashBytes } from '#domain/json/digest.ts'
import type { RequestState } from '#domain/requests/request.ts'
import {
  isEnd,
  requestTransitions,
  transition,
  type RequestEvent,
} from '#domain/requests/transitions.ts'
import { isCovered, type Check, type Extent } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { referenceTo, textIn, type LoggedEvent } from '../findings/logged-event.ts'

interface Chain {
  readonly openedBy: LoggedEvent
  readonly kind: string
  sequence: number
  hash: string
  state: RequestState
}

/** The transitions of these types of event; others do not change the request. */
const effects: Readonly<Partial<Record<string, RequestEvent>>> = {
  'request.revised': 'revise',
  'request.extended': 'extend',
  'request.expired': 'expire',
  'request.cancelled': 'cancel',
}

/**
 * Follows the chain of each request: no gap, each event names the one before, and only legal
 * transitions.
 */
export function followRequests(findings: Findings, extent: Extent): Check {
  const chains = new Map<string, Chain>()
  const pendingOfRun = new Map<string, Set<string>>()
  /** ends of runs, whose transactions may have further events */
  let endsOfRuns: LoggedEvent[] = []

  /**
   * Events of one transaction have one time, and in logs that were begun over an older trail the
   * end of a run may come before those of its requests.
   */
  function closeRuns(): void {
    for (const event of endsOfRuns) {
      for (const pending of pendingOfRun.get(event.runId ?? '') ?? []) {
        const problem = `the run has ended, and request ${pending} of it has no end`
        findings.fail(problem, { ...referenceTo(event), requestId: pending })
      }
      pendingOfRun.delete(event.runId ?? '')
    }
    endsOfRuns = []
  }

  function open(event: LoggedEvent, requestId: string): void {
    const at = referenceTo(event)
    if (event.sequence !== 1 || event.previous !== null) {
      findings.fail(
        `the request's first event has number ${event.sequence ?? 'none'} of its chain`,
        at,
      )
    }
    if (event.type !== 'request.opened') {
      findings.fail(`the request's first event is ${event.type}, not request.opened`, at)
    }
    const kind = textIn(event.detail, 'kind') ?? ''
    chains.set(requestId, {
      openedBy: event,
      kind,
      sequence: event.sequence ?? 0,
      hash: hashBytes(event.text),
      state: 'pending',
    })
    if (event.runId === null) return
    const pending = pendingOfRun.get(event.runId) ?? new Set()
    pendingOfRun.set(event.runId, pending.add(requestId))
  }

  function follow(event: LoggedEvent, requestId: string, chain: Chain): void {
    const at = referenceTo(event)
    const { sequence } = event
    if (sequence !== chain.sequence + 1) {
      const expected = `number ${chain.sequence + 1} of the request's chain was to come`
      findings.fail(`${expected}, and this is number ${sequence ?? 'none'}`, at)
    } else if (event.previous !== chain.hash) {
      findings.fail(
        `number ${sequence} of the request's chain does not name the event before it`,
        at,
      )
    }
    chain.sequence = sequence ?? chain.sequence
    chain.hash = hashBytes(event.text)
    if (event.type === 'request.opened') findings.fail('the request was opened before', at)
    const effect = effectOf(event, chain)
    if (effect === null) return
    const state = transition(requestTransitions, chain.state, effect)
    if (state === null) {
      findings.fail(`a request that is ${chain.state} does not accept ${event.type}`, at)
      return
    }
    chain.state = state
    if (isEnd(requestTransitions, state) && event.runId !== null) {
      pendingOfRun.get(event.runId)?.delete(requestId)
    }
  }

  return {
    take(event) {
      const { requestId, runId } = event
      if (event.at !== endsOfRuns[0]?.at) closeRuns()
      if (requestId !== null && isCovered(extent, requestId)) {
        const chain = chains.get(requestId)
        if (chain === undefined) open(event, requestId)
        else follow(event, requestId, chain)
      }
      const { type } = event
      if (runId !== null && (type === 'run.ended' || type === 'run.cancelled')) {
        endsOfRuns.push(event)
      }
    },
    end() {
      closeRuns()
      for (const requestId of extent.requestIds) {
        if (!chains.has(requestId))
          findings.fail('there is no event of this request', { requestId })
      }
      const open = [...chains.values()].filter(({ state }) => state === 'pending').length
      findings.note(`${chains.size} requests, ${open} of them pending`)
    },
  }
}

/**
 * The transition of an event for the request in whose chain it is. The quorum is met when the
 * permit is issued.
 */
function effectOf(event: LoggedEvent, { kind, state }: Chain): RequestEvent | null {
  if (event.type === 'decision.recorded') {
    if (textIn(event.detail, 'decision') === 'deny') return 'deny'
    // A question and an outcome check end with one person's answer.
    return kind === 'question' || kind === 'outcome_check' ? 'approve' : 'count'
  }
  if (event.type === 'permit.issued') {
    return kind === 'outcome_check' && state === 'approved' ? null : 'approve'
  }
  return Object.hasOwn(effects, event.type) ? (effects[event.type] ?? null) : null
}
