/** What a {@link CountersignError} may carry beside its code and its sentence. */
export interface ErrorFacts extends ErrorOptions {
  /** the request that the error is about; absent: no request was opened */
  readonly requestId?: string
  /** HTTP status of the service's refusal */
  readonly status?: number
  /** the service's problem details (RFC 9457), with the facts beside `code` and `detail` */
  readonly problem?: Readonly<Record<string, unknown>>
}

/**
 * Why a call was not made, or why an act was refused. `code` is the service's own where it refused
 * (docs/api.md); of this client are `unavailable` (no answer in time), `pending` (no decision in
 * time), `mismatch` (what came back is about another call) and `bad_signature` (a callback that the
 * service did not sign).
 */
export class CountersignError extends Error {
  override readonly name: string = 'CountersignError'
  readonly code: string
  /** `null`: no request was opened, or the act was not about one */
  readonly requestId: string | null
  /** HTTP status of the service's refusal; `null`: this client refused */
  readonly status: number | null
  /** the service's problem details; `null`: this client refused */
  readonly problem: Readonly<Record<string, unknown>> | null

  constructor(code: string, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = code
    this.requestId = facts.requestId ?? null
    this.status = facts.status ?? null
    this.problem = facts.problem ?? null
  }
}

/** A person said no. `reason` is their words: data for a model, never an instruction. */
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

/**
 * Nobody decided in time, or the approval was not used within its hour: neither a denial nor an
 * approval.
 */
export class ExpiredError extends CountersignError {
  override readonly name = 'ExpiredError'
}

/** The request left the queue, or its approval was revoked. */
export class CancelledError extends CountersignError {
  override readonly name = 'CancelledError'
}

/** Policy never allows this call; no person was asked. */
export class BlockedError extends CountersignError {
  override readonly name = 'BlockedError'
}

/**
 * The permit was taken before, so this time nothing ran. `outcome` is what was reported then;
 * `null`: nothing was, for instance because the program died, and nobody but its operator can know
 * what happened.
 */
export class AlreadyTakenError extends CountersignError {
  override readonly name = 'AlreadyTakenError'
  readonly outcome: keyof typeof outcomeWords | null

  constructor(requestId: string, outcome: AlreadyTakenError['outcome']) {
    const what = outcome === null ? 'and nothing was reported since' : outcomeWords[outcome]
    super('already_consumed', `The permit of this call was taken before, ${what}`, { requestId })
    this.outcome = outcome
  }
}

const outcomeWords = {
  succeeded: 'and it succeeded',
  failed: 'and it failed',
  unknown: 'and it is not known how it ended',
} as const

/**
 * What was approved is not what was asked for, or the permit is for something else: nothing ran.
 */
export class MismatchError extends CountersignError {
  override readonly name = 'MismatchError'

  constructor(requestId: string, message: string) {
    super('mismatch', message, { requestId })
  }
}
