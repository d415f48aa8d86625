import type { RefusalReason } from '#domain/requests/request.ts'
import type { Refusal } from './execution-plan.ts'

/** A statement is not signed, or its signature is for something else. */
export const unverifiedReasons = [
  'invalid_permit',
  'invalid_statement',
  'unsigned',
] as const satisfies readonly RefusalReason[]

/**
 * The refusal of a statement that is unsigned or signed for something else; it opens no new request
 * (security.md 13).
 */
export function refusedUnsigned(
  reason: (typeof unverifiedReasons)[number],
  detail: string,
  permitId: string | null,
): Refusal {
  return {
    kind: 'refuse',
    reason,
    detail,
    then: {
      next: 'result',
      type: 'error',
      text: `This call was refused and not carried out: its authorisation could not be verified (${reason}).`,
    },
    permitId,
    policyDigest: null,
  }
}
