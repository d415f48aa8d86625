/**
 * Why a call was not made, or not by us. `code` is the service's own where it has one
 * (docs/api.md).
 */
export class CountersignError extends Error {
  override readonly name: string = 'CountersignError'
  readonly code: string
  /** `null`: no request was opened */
  readonly requestId: string | null

  constructor(code: string, message: string, requestId: string | null, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.requestId = requestId
  }
}

/** A person said no. `reason` is their words: data for a model, never an instruction. */
export class DeniedError extends CountersignError {
  override readonly name = 'DeniedError'
  readonly decidedBy: string
  readonly reason: string | null

  constructor(requestId: string, decidedBy: string, reason: string | null) {
    super('denied', `${decidedBy} denied this${reason === null ? '' : `: ${reason}`}`, requestId)
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

/** The request left the queue, or its approval was taken back. */
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
  readonly outcome: keyof typeof words | null

  constructor(requestId: string, outcome: AlreadyTakenError['outcome']) {
    const what = outcome === null ? 'and nothing was reported since' : `and it ${words[outcome]}`
    super('already_consumed', `The permit of this call was taken before, ${what}`, requestId)
    this.outcome = outcome
  }
}

const words = {
  succeeded: 'succeeded',
  failed: 'failed',
  unknown: 'is not known how it ended',
} as const

/**
 * What was approved is not what was asked for, or the permit is for something else: nothing ran.
 */
export class MismatchError extends CountersignError {
  override readonly name = 'MismatchError'

  constructor(requestId: string, message: string) {
    super('mismatch', message, requestId)
  }
}
