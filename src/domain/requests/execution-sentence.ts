import { valueIn } from '../json/value-in.ts'
import type { ExecutionState, PermitState, RequestKind, RequestState } from './request.ts'

const refusals: Readonly<Record<string, string>> = {
  stale: 'the file changed after the approval, so a new request was opened',
  unused: 'the approval lapsed before the service could make the call',
  lapsed: 'the approval lapsed before the call could run, so a new request was opened',
  blocked: 'policy now blocks it',
  revoked: 'the approval was revoked',
  invalid_permit: 'its permit did not verify',
  invalid_statement: "the run's signed statement did not verify",
  unsigned: 'it has no signature',
}

/** What a person found of a call whose end was not known. */
const findings: Partial<Record<ExecutionState, string>> = {
  succeeded: 'A person found that it took effect.',
  failed: 'A person found that it did not take effect.',
  unknown: 'It was started, and a person who checked could not tell whether it took effect.',
}

/** The execution as a sentence. `null` while nothing was approved, and for a question. Pure. */
export function executionSentence(
  execution: {
    readonly state: ExecutionState
    readonly reason?: string | undefined
    readonly exitCode?: number | undefined
  },
  {
    state,
    kind,
    permit,
  }: {
    readonly state: RequestState
    readonly kind: RequestKind
    readonly permit?: PermitState | null | undefined
  },
): string | null {
  const exit = execution.exitCode === undefined ? '' : ` with exit code ${execution.exitCode}`
  if (execution.reason === 'settled') return findings[execution.state] ?? null
  const isReported = execution.reason === 'reported'
  switch (execution.state) {
    case 'not_started':
      if (kind === 'start') return state === 'approved' ? 'Approved: the run has begun.' : null
      // A finding approves nothing, unless its call is to be carried out again.
      if (kind === 'question' || (kind === 'outcome_check' && !permit)) return null
      return state === 'approved' ? 'Approved, not yet carried out.' : null
    case 'started':
      if (kind === 'external' && execution.reason !== 'by_service')
        return 'The program took its permit, and has not reported an outcome.'
      return 'It is being carried out now.'
    case 'succeeded':
      if (isReported) return 'The program says that it was carried out.'
      if (execution.exitCode !== undefined && execution.exitCode !== 0) {
        return `It ran and ended${exit}, with which most programs report a failure.`
      }
      return `Carried out${exit}.`
    case 'failed':
      if (isReported) return 'The program says that it failed.'
      return execution.reason ? `It failed${exit}: ${execution.reason}.` : `It failed${exit}.`
    case 'refused': {
      const why = execution.reason ?? ''
      if (kind === 'external' && why === 'lapsed')
        return 'The program did not take its permit before it lapsed.'
      return `It was not carried out: ${valueIn(refusals, why) ?? (why || 'refused')}.`
    }
    case 'unknown':
      if (isReported) return 'The program does not know whether it took effect.'
      return 'It was started, and nobody knows whether it took effect. A person has to check.'
  }
}
