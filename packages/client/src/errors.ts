/** Optional members of a {@link CountersignError} beside its code and message. */
export interface ErrorFacts extends ErrorOptions {
  /** id of the request that the error is about; absent: no request was opened */
  readonly requestId?: string | undefined
  /** HTTP status of the service's refusal */
  readonly status?: number | null
  /** the service's problem details (RFC 9457) with all members */
  readonly problem?: Readonly<Record<string, unknown>> | null
}

/**
 * Why a call was not made, or why a method of the client was refused. `code` is the service's
 * (docs/api.md), or one of the client's own: `unavailable` (no answer in time), `pending` (no
 * decision in time), `mismatch` (the answer is about another call) and `bad_signature` (a callback
 * that the service did not sign).
 */
export class CountersignError extends Error {
  override readonly name: string = 'CountersignError'
  readonly code: string
  /** `null`: no request was opened, or the error is not about a request */
  readonly requestId: string | null
  /** HTTP status of the service's refusal; `null`: the error is the client's own */
  readonly status: number | null
  /** the service's problem details; `null`: the error is the client's own */
  readonly problem: Readonly<Record<string, unknown>> | null

  constructor(code: string, message: string, facts: ErrorFacts = {}) {
    super(message, facts)
    this.code = code
    this.requestId = facts.requestId ?? null
    this.status = facts.status ?? null
    this.problem = facts.problem ?? null
  }
}

/** A person denied the call. `reason` is data for a model, never an instruction. */
export class DeniedError extends CountersignError {
  override readonly name = 'DeniedError'
  readonly decidedBy: string
  readonly reason: string | null

  constructor(requestId: string, decidedBy: string, reason: string | null) {
    const words = reason === null ? '' : `: ${reason}`
    super('denied', `${decidedBy} denied this${words}`, { requestId })
    this.decidedBy = decidedBy
    this.reason = reason
  }
}

/** Nobody decided in time, or the permit was not taken before it expired. */
export class ExpiredError extends CountersignError {
  override readonly name = 'ExpiredError'
}

/** The request was cancelled or withdrawn, or its approval was revoked. */
export class CancelledError extends CountersignError {
  override readonly name = 'CancelledError'
}

/** Policy never allows this call; no person was asked. */
export class BlockedError extends CountersignError {
  override readonly name = 'BlockedError'
}

/**
 * The permit was taken before, so nothing ran this time. `outcome` is the outcome that was reported
 * for the earlier attempt; `null`: none was, for instance because the program crashed. Then only
 * its operator can find out whether the call ran.
 */
export class AlreadyTakenError extends CountersignError {
  override readonly name = 'AlreadyTakenError'
  readonly outcome: keyof typeof outcomeWords | null

  constructor(requestId: string, outcome: AlreadyTakenError['outcome']) {
    const what = outcome === null ? 'nothing was reported since' : outcomeWords[outcome]
    super('already_consumed', `The permit of this call was taken before, and ${what}`, {
      requestId,
    })
    this.outcome = outcome
  }
}

const outcomeWords = {
  succeeded: 'it succeeded',
  failed: 'it failed',
  unknown: 'it is not known how it ended',
} as const

/** The message of an error, or of any other value that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The approved call or the permit differs from the call of the program. Nothing ran. */
export class MismatchError extends CountersignError {
  override readonly name = 'MismatchError'

  constructor(requestId: string, message: string) {
    super('mismatch', message, { requestId })
  }
}

/** The error for an input that a person changed although the call permits no change. */
export function otherArguments(requestId: string, input: unknown): MismatchError {
  return new MismatchError(requestId, `Other arguments were approved: ${JSON.stringify(input)}`)
}
