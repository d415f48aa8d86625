import type { RunDetail } from '../../api/schemas/runs.ts'

/** What a mode other than the usual means for this run (product.md 21). */
export function ModeBanner({ run }: { run: RunDetail }) {
  if (run.mode === 'prompt') return null
  return run.mode === 'approve_all' ? (
    <p className="banner banner-danger" role="note">
      <strong>Nobody is asked.</strong> {run.startedBy.name} started this run in mode approve_all:
      every call that would ask is approved by the mode. What policy blocks stays blocked.
    </p>
  ) : (
    <p className="banner" role="note">
      <strong>Strict.</strong> Every call of this run that would ask is denied by the mode; only
      pre-approved calls run.
    </p>
  )
}
