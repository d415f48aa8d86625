import { useState } from 'react'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import type { InboxRow } from './inbox-rows.ts'

/** The rows that the person has selected for one decision. */
export interface Selection {
  readonly ids: ReadonlySet<string>
  /** the requests among them that still wait */
  readonly items: readonly RequestItem[]
  select(id: string, on: boolean): void
  toggle(id: string): void
  clear(): void
}

export function useSelection(rows: readonly InboxRow[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const select = (id: string, on: boolean): void =>
    setIds((before) => {
      const next = new Set(before)
      if (on) next.add(id)
      else next.delete(id)
      return next
    })
  const clear = (): void => setIds(new Set())
  useShortcut('back', ids.size > 0 ? clear : null)
  return {
    ids,
    items: rows.filter((row) => ids.has(row.item.id) && !row.isGone).map((row) => row.item),
    select,
    toggle: (id) => select(id, !ids.has(id)),
    clear,
  }
}
