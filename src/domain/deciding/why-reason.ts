/** The parts of a request that can require a reason. */
export interface ReasonedRequest {
  readonly risk: string
  /** the request may have been decided and carried out after the backup that was restored */
  readonly askedBeforeRestore: boolean
}

/**
 * Why a decision needs a reason, as a sentence without its full stop; `null`: it needs none. It is
 * needed at high risk (security.md 15), and for an approval of a call that may have run before a
 * restore (docs/backup.md), so that nobody repeats it by habit. Pure.
 */
export function whyReason(
  decision: 'approve' | 'deny',
  { risk, askedBeforeRestore }: ReasonedRequest,
): string | null {
  if (risk === 'high') return 'High risk needs a reason'
  if (decision === 'approve' && askedBeforeRestore) {
    return 'It was opened before a restore and may have been carried out already: approving it needs a reason'
  }
  return null
}
