import { textIn } from '#domain/json/value-in.ts'
import type { ExecutionState } from '#domain/requests/request.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import {
  executionTransitions,
  transition,
  type ExecutionEvent,
} from '#domain/requests/transitions.ts'
import type { Check } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import { numberIn, referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

interface Attempt {
  readonly number: number
  state: ExecutionState
  /** it may be followed by another attempt */
  over: boolean
}

/** Follows every attempt at a call: legal transitions, in order, and one at a time. */
export function followExecutions(findings: Findings): Check {
  const attempts = new Map<string, Attempt>()
  /** calls whose right was revoked by a restore: an attempt may be missing */
  const restored = new Set<string>()

  function attemptFor(event: LoggedEvent, callId: string): Attempt | null {
    const number = numberIn(event.detail, 'attempt')
    const newest = attempts.get(callId)
    if (number === null) {
      findings.fail('the event names no attempt', referenceTo(event))
      return null
    }
    if (newest?.number === number) return newest
    if (number < (newest?.number ?? 0)) return null
    if (number !== (newest?.number ?? 0) + 1) {
      findings.fail(
        `attempt ${number} of the call follows attempt ${newest?.number ?? 0}`,
        referenceTo(event),
      )
    } else if (newest !== undefined && !newest.over) {
      const problem = `attempt ${number} of the call begins while attempt ${newest.number} is ${newest.state}`
      findings.fail(problem, referenceTo(event))
    }
    const attempt: Attempt = { number, state: 'not_started', over: false }
    attempts.set(callId, attempt)
    return attempt
  }

  function move(event: LoggedEvent, attempt: Attempt, effect: ExecutionEvent): void {
    const state = transition(executionTransitions, attempt.state, effect)
    if (state === null) {
      const problem = `attempt ${attempt.number} is ${attempt.state} and does not accept ${event.type}`
      findings.fail(problem, referenceTo(event))
      return
    }
    attempt.state = state
    if (state === 'refused') attempt.over = true
  }

  return {
    take(event) {
      const { callId, type } = event
      if (callId === null) return
      if (type === 'permit.revoked' && textIn(event.detail, 'why') === 'restored')
        restored.add(callId)
      if (!type.startsWith('execution.')) return
      const attempt = attemptFor(event, callId)
      if (attempt === null) return
      if (type === 'execution.unknown' && attempt.state === 'not_started' && restored.has(callId)) {
        attempt.state = 'started'
      }
      if (type === 'execution.settled') {
        settle(event, attempt)
        return
      }
      const effect = effectOf(event)
      if (effect === null) return
      move(event, attempt, effect)
      if (type === 'execution.unknown' && textIn(event.detail, 'then') === 'again')
        attempt.over = true
    },
    end() {
      const open = [...attempts.values()].filter(({ state }) => state === 'started').length
      findings.describe(
        `${countWords(attempts.size, 'call')} carried out or refused, ${open} of them under way`,
      )
    },
  }

  function settle(event: LoggedEvent, attempt: Attempt): void {
    const ran = event.detail['ran']
    if (ran === true || ran === false) move(event, attempt, ran ? 'succeed' : 'fail')
    else if (attempt.state !== 'unknown') {
      findings.fail(
        `attempt ${attempt.number} is ${attempt.state}: there is nothing to settle`,
        referenceTo(event),
      )
    }
    attempt.over = textIn(event.detail, 'then') === 'again'
  }
}

/** The transition of an event; `null` for an end after a person has settled the attempt. */
function effectOf(event: LoggedEvent): ExecutionEvent | null {
  if (event.type === 'execution.started') return 'start'
  if (event.type === 'execution.refused') return 'refuse'
  if (event.type === 'execution.unknown') return 'lose'
  if (event.type !== 'execution.finished' || event.detail['settledBefore'] === true) return null
  return textIn(event.detail, 'state') === 'succeeded' ? 'succeed' : 'fail'
}
