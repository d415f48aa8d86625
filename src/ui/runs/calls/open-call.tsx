import { createContext, useMemo, useState, type ReactNode } from 'react'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { TranscriptItem } from '#api/schemas/runs/transcript.ts'
import { useMe } from '../../api/queries.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { useHeldDecisions } from '../../sending/held-decisions.ts'

/** Which waiting call of a page is open to be decided. */
interface OpenCall {
  /** its request; null: none is open */
  readonly requestId: string | null
  readonly open: (requestId: string | null) => void
  /** the first that waits for this person and is not the open one; null: there is none */
  readonly next: string | null
}

/** Pages with this context decide calls in place; others link to the request. */
export const OpenCallContext = createContext<OpenCall | null>(null)

/**
 * One call, or the start of the run, is open at a time, so that the keys of a decision belong to
 * it. A and D open one.
 */
export function DecidableCalls(props: {
  run: RunDetail
  items: readonly TranscriptItem[]
  children: ReactNode
}) {
  const { run, items, children } = props
  const { person } = useMe()
  const [requestId, open] = useState<string | null>(null)
  const heldIds = new Set(useHeldDecisions().map((one) => one.requestId))
  const own = new Set(
    run.waitsFor.filter(({ people }) => people.some(({ id }) => id === person.id)).map(idOf),
  )
  const pendingIds = items
    .flatMap(({ calls = [] }) => calls)
    .flatMap((call) => (call.requestState === 'pending' ? (call.requestId ?? []) : []))
  const requestIds = [run.startRequestId ?? [], pendingIds].flat()
  const next = requestIds.find((id) => id !== requestId && own.has(id) && !heldIds.has(id)) ?? null
  const openNext = next === null ? null : () => open(next)
  useShortcut('approve', openNext)
  useShortcut('deny', openNext)
  // Memoised, because every call of the run renders again when it changes.
  const value = useMemo(() => ({ requestId, open, next }), [requestId, next])
  return <OpenCallContext value={value}>{children}</OpenCallContext>
}

function idOf({ requestId }: RunDetail['waitsFor'][number]): string {
  return requestId
}
