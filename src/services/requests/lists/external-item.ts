import type { ExternalOutcome, PermitState } from '#domain/requests/request.ts'
import type { ExternalItemRecord } from '../facts/request-record.ts'
import type { ExecutionRecord } from '../facts/request-record.ts'

/** The facts of a program's request from the items' query; instants inside JSON are text. */
export interface ExternalItemJson extends ExternalItemRecord {
  readonly consumedAt: string | null
  readonly outcome: ExternalOutcome | null
  readonly outcomeAt: string | null
  /** who knows how the call ended: the service made the calls of the gateway, and deployments */
  readonly outcomeFrom: 'program' | 'service' | 'person'
}

const reasons = { program: 'reported', person: 'settled' } as const

/**
 * The execution of a program's request: it starts when the permit is consumed, and ends as the
 * program reports, as the service saw it, or as a person found. A permit that was revoked or lapsed
 * starts nothing (product.md 14). The reasons say whether it is the program that takes the permit.
 */
export function externalExecution(
  { consumedAt, outcome, outcomeAt, outcomeFrom }: ExternalItemJson,
  { digest, permit }: { readonly digest: string; readonly permit: PermitState | null },
): ExecutionRecord {
  const isOurs = outcomeFrom === 'service'
  if (consumedAt === null) {
    if (permit === 'lapsed') return { state: 'refused', reason: isOurs ? 'unused' : permit }
    return permit === 'revoked' ? { state: 'refused', reason: permit } : { state: 'not_started' }
  }
  const started = { attempt: 1, executedDigest: digest, startedAt: new Date(consumedAt) }
  if (outcome === null || outcomeAt === null) {
    return { state: 'started', ...(isOurs ? { reason: 'by_service' } : {}), ...started }
  }
  const why = outcomeFrom === 'service' ? {} : { reason: reasons[outcomeFrom] }
  return { state: outcome, ...why, ...started, finishedAt: new Date(outcomeAt) }
}

/** The program's facts without the outcome. */
export function externalItem(json: ExternalItemJson | null): ExternalItemRecord | null {
  if (json === null) return null
  const { externalId, key, onBehalfOf, owner, verdict, worker } = json
  return { externalId, key, onBehalfOf, owner, verdict, worker }
}
