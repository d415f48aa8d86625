import type { CancelReason } from '../requests/request.ts'

const cancelReasonWords: Readonly<Record<CancelReason, string>> = {
  run_cancelled: 'its run was cancelled',
  run_failed: 'its run failed',
  workflow_lost: 'its workflow was lost',
  sibling_denied: 'an earlier call of the turn was denied and the run stopped',
  superseded: 'a newer request took its place',
  withdrawn: 'the program withdrew it',
  settled: 'the outcome became known',
  delegation_denied: 'another part of the same delegation was not approved',
  delegation_revoked: 'the approval of another part of the same delegation was revoked',
}

/** That a request was cancelled and why: `cancelled: its run failed`. Pure. */
export function cancelledWords(reason: CancelReason | null): string {
  return reason === null ? 'cancelled' : `cancelled: ${cancelReasonWords[reason]}`
}
