import type { RequestItem } from '#api/schemas/requests/request-item.ts'

/** A row on the screen. `gone`: it is not in the list any more, and greys until the person acts. */
export interface InboxRow {
  readonly item: RequestItem
  readonly gone: boolean
}

/** Rows whose coming or going the person caused: these come and go at once. */
export interface OwnActs {
  /** of a further page that the person loaded */
  readonly requested: ReadonlySet<string>
  /** decided in this list */
  readonly decided: ReadonlySet<string>
}

/** The list as it is now, as far as it was loaded. */
export interface FreshList {
  readonly items: readonly RequestItem[]
  /** there are more behind these */
  readonly hasMore: boolean
}

/** What is on the screen, and what waits behind the bar. */
export interface InboxRows {
  readonly rows: readonly InboxRow[]
  readonly waiting: readonly RequestItem[]
}

/**
 * Merges a fresh list into the rows on the screen. Rows keep their position and get their new
 * state; missing rows are marked gone; new ones wait, unless the person caused them or the screen
 * was empty. The last rows of a list that has more were pushed out by new ones, and stay. Pure.
 */
export function layFreshRows(
  rowsBefore: readonly InboxRow[],
  { items, hasMore }: FreshList,
  acts: OwnActs,
): InboxRows {
  if (rowsBefore.length === 0)
    return { rows: items.map((item) => ({ item, gone: false })), waiting: [] }
  const byId = new Map(items.map((item) => [item.id, item]))
  const ids = new Set(rowsBefore.map((row) => row.item.id))
  const added = items.filter((item) => !ids.has(item.id))
  const waiting = added.filter((item) => !acts.requested.has(item.id))
  const lastRemaining = rowsBefore.findLastIndex((row) => byId.has(row.item.id))
  const pushedFrom = hasMore
    ? Math.max(lastRemaining + 1, rowsBefore.length - waiting.length)
    : rowsBefore.length
  const rows = rowsBefore.flatMap((row, index) => {
    const item = byId.get(row.item.id)
    if (item !== undefined) return { item, gone: false }
    if (acts.decided.has(row.item.id)) return []
    return index >= pushedFrom ? row : { ...row, gone: true }
  })
  return {
    rows: [
      ...rows,
      ...added.filter((item) => acts.requested.has(item.id)).map((item) => ({ item, gone: false })),
    ],
    waiting,
  }
}
