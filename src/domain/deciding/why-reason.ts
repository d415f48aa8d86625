/** What of a request makes a decision say why. */
export interface ReasonedRequest {
  readonly risk: string
  /** it may have been decided and carried out in rows that a restore lost */
  readonly askedBeforeRestore: boolean
}

/**
 * Why a decision needs a reason, as a sentence without its full stop; `null`: it needs none. High
 * risk does (security.md 15), and an approval of what may have run before a restore
 * (docs/backup.md): nobody repeats that by habit. Pure.
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
