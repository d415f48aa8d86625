import type { Findings } from '../findings/finding.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

/** An execution's right: a permit's subject or a grant's, and the event of its use. */
export interface UsedRight {
  readonly digest: string | null
  readonly event: LoggedEvent
}

/** The rights that were used, by call, until an execution begins by them. */
export class UsedRights {
  readonly #byCall = new Map<string, UsedRight>()

  add(callId: string, event: LoggedEvent): void {
    this.#byCall.set(callId, { digest: event.digest, event })
  }

  /** The right that was used for this call; asking removes it. */
  take(callId: string): UsedRight | null {
    const right = this.#byCall.get(callId) ?? null
    this.#byCall.delete(callId)
    return right
  }

  /** Fails for each right by which no execution has begun. */
  failRest(findings: Findings, problem: string): void {
    for (const { event } of this.#byCall.values()) findings.fail(problem, referenceTo(event))
  }
}
