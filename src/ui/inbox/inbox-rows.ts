import type { RequestItem } from '../../api/schemas/requests/requests.ts'

/** A row on the screen. `gone`: it is not in the list any more and greys out before it leaves. */
export interface InboxRow {
  readonly item: RequestItem
  readonly gone: boolean
}

/** What is on the screen, and what waits behind the bar. */
export interface InboxRows {
  readonly rows: readonly InboxRow[]
  readonly held: readonly RequestItem[]
}

/**
 * Lays a fresh list over what is on the screen: rows keep their place and take their new state, rows
 * that are missing are marked gone, new ones are held back unless `accepted` has them or there was
 * nothing on the screen. Pure.
 */
export function layFreshRows(
  shown: readonly InboxRow[],
  fresh: readonly RequestItem[],
  accepted: ReadonlySet<string>,
): InboxRows {
  if (shown.length === 0) return { rows: fresh.map((item) => ({ item, gone: false })), held: [] }
  const byId = new Map(fresh.map((item) => [item.id, item]))
  const known = new Set(shown.map((row) => row.item.id))
  const rows = shown.map((row) => {
    const item = byId.get(row.item.id)
    return item === undefined ? { ...row, gone: true } : { item, gone: false }
  })
  const added = fresh.filter((item) => !known.has(item.id))
  return {
    rows: [
      ...rows,
      ...added.filter((item) => accepted.has(item.id)).map((item) => ({ item, gone: false })),
    ],
    held: added.filter((item) => !accepted.has(item.id)),
  }
}

/** The fresh list as it is, with rows that are still greying out kept where they stood. Pure. */
export function showEverything(
  shown: readonly InboxRow[],
  fresh: readonly RequestItem[],
): readonly InboxRow[] {
  const rows: InboxRow[] = fresh.map((item) => ({ item, gone: false }))
  for (const [index, row] of shown.entries()) {
    if (row.gone) rows.splice(Math.min(index, rows.length), 0, row)
  }
  return rows
}
