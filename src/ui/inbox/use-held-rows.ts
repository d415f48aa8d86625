import { useCallback, useEffect, useState } from 'react'
import type { RequestItem } from '../../api/schemas/requests/requests.ts'
import { layFreshRows, showEverything, type InboxRow, type InboxRows } from './inbox-rows.ts'

/** Keeps the rows on the screen still while fresh lists arrive; new ones are held until asked for. */
export function useHeldRows(fresh: readonly RequestItem[] | undefined): InboxRows & {
  accept: (ids: readonly string[]) => void
  showHeld: () => void
  leave: (id: string) => void
} {
  const [state, setState] = useState<InboxRows>({ rows: [], held: [] })
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (fresh === undefined) return
    setState((before) => layFreshRows(before.rows, fresh, accepted))
  }, [fresh, accepted])

  const accept = useCallback((ids: readonly string[]) => {
    setAccepted((before) => new Set([...before, ...ids]))
  }, [])
  const showHeld = useCallback(() => {
    setState((before) => ({ rows: showEverything(before.rows, fresh ?? []), held: [] }))
  }, [fresh])
  const leave = useCallback((id: string) => {
    const stays = (row: InboxRow): boolean => row.item.id !== id || !row.gone
    setState((before) => ({ ...before, rows: before.rows.filter(stays) }))
  }, [])
  return { ...state, accept, showHeld, leave }
}
