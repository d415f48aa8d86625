import type { RunDetail } from '#api/schemas/runs/runs.ts'

/** What a mode other than the usual means, on every page of such a run (product.md 21). */
export function ModeBanner(props: { mode: RunDetail['mode'] | null; startedBy: string | null }) {
  const { mode, startedBy } = props
  if (mode === null || mode === 'prompt') return null
  return mode === 'approve_all' ? (
    <p className="banner banner-danger" role="note" aria-label="Mode of the run">
      <strong>Nobody is asked.</strong> {startedBy ?? 'Somebody'} started this run in mode
      approve_all: every call that would ask is approved by the mode. What policy blocks stays
      blocked.
    </p>
  ) : (
    <p className="banner" role="note" aria-label="Mode of the run">
      <strong>Strict.</strong> {startedBy ?? 'Somebody'} started this run in mode strict: every call
      that would ask is denied by the mode; only pre-approved calls run.
    </p>
  )
}
