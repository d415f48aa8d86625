import { useCallback, useEffect, useState } from 'react'
import { layFreshRows, type FreshList, type InboxRows, type OwnActs } from './inbox-rows.ts'

const none: OwnActs = { requested: new Set(), decided: new Set() }

/** Keeps the rows on the screen in place while fresh lists arrive, until the person loads them. */
export function useSteadyRows(fresh: FreshList | undefined): InboxRows & {
  cause: (act: keyof OwnActs, ids: readonly string[]) => void
  showFresh: () => void
  /** removes the rows that left the list */
  removeGoneRows: () => void
} {
  const [state, setState] = useState<InboxRows>({ rows: [], waiting: [] })
  const [acts, setActs] = useState(none)
  useEffect(() => {
    if (fresh === undefined) return
    setState((before) => layFreshRows(before.rows, fresh, acts))
  }, [fresh, acts])

  const cause = useCallback((act: keyof OwnActs, ids: readonly string[]) => {
    setActs((before) => ({ ...before, [act]: new Set([...before[act], ...ids]) }))
  }, [])
  const showFresh = useCallback(() => {
    setState(layFreshRows([], fresh ?? { items: [], hasMore: false }, none))
  }, [fresh])
  const removeGoneRows = useCallback(() => {
    setState((before) => ({ ...before, rows: before.rows.filter((row) => !row.isGone) }))
  }, [])
  return { ...state, cause, showFresh, removeGoneRows }
}
