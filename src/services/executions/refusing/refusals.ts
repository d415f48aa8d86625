import type { RefusalReason } from '../../../domain/request.ts'
import type { Refusal } from '../claiming/execution-plan.ts'

/** A refusal because what should be signed is not, or says something else: nobody is asked again (security.md 13). */
export function refusedUnsigned(
  reason: Extract<RefusalReason, 'invalid_permit' | 'invalid_statement' | 'unsigned'>,
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
