import type { RunDetail } from '#api/schemas/runs/runs.ts'

/** The meaning of a mode other than the default, on every page of such a run (product.md 21). */
export function ModeBanner(props: { mode: RunDetail['mode'] | null; startedBy: string | null }) {
  const { mode, startedBy } = props
  if (mode === null || mode === 'prompt') return null
  return mode === 'approve_all' ? (
    <p className="banner banner-danger" role="note" aria-label="Mode of the run">
      <strong>Approve all.</strong> {startedBy ?? 'Somebody'} started this run in this mode. It
      approves every call that would ask. Calls that policy blocks stay blocked.
    </p>
  ) : (
    <p className="banner" role="note" aria-label="Mode of the run">
      <strong>Strict.</strong> {startedBy ?? 'Somebody'} started this run in this mode. It denies
      every call that would ask. Only pre-approved calls run.
    </p>
  )
}
