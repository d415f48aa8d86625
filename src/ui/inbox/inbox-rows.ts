import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'

/** A row on the screen. `isGone`: it left the list, and is shown greyed until the person acts. */
export interface InboxRow {
  readonly item: RequestItem
  readonly isGone: boolean
  /**
   * whether the person could decide it, or one of its turn, at the first look; a row of a further
   * page is not counted
   */
  readonly isDecidable: boolean
}

/** Rows that appear or leave by an action of the person, and therefore at once. */
export interface OwnActs {
  /** rows of a further page that the person loaded */
  readonly requested: ReadonlySet<string>
  /** rows that the person decided in this list */
  readonly decided: ReadonlySet<string>
}

/** The current list, as far as it is loaded. */
export interface FreshList {
  readonly items: readonly RequestItem[]
  /** further pages exist */
  readonly hasMore: boolean
}

/** The rows on the screen, and those that wait behind the bar. */
export interface InboxRows {
  readonly rows: readonly InboxRow[]
  readonly waiting: readonly RequestItem[]
}

/**
 * Merges a fresh list into the rows on the screen. Rows keep their position and get their new
 * state. Missing rows are marked as gone. New rows are kept back, unless the person caused them or
 * the screen was empty. If the list has further pages, missing rows at its end were pushed out by
 * new ones, and stay. Pure.
 */
export function layFreshRows(
  rowsBefore: readonly InboxRow[],
  { items, hasMore }: FreshList,
  acts: OwnActs,
): InboxRows {
  if (rowsBefore.length === 0) return { rows: layFirstRows(items), waiting: [] }
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
    if (item !== undefined) return { ...row, item, isGone: false }
    if (acts.decided.has(row.item.id)) return []
    return index >= pushedFrom ? row : { ...row, isGone: true }
  })
  return {
    rows: [
      ...rows,
      ...added
        .filter((item) => acts.requested.has(item.id))
        .map((item) => ({ item, isGone: false, isDecidable: false })),
    ],
    waiting,
  }
}

/** Rows of the first look. What the person can decide then is fixed: no row moves later. */
function layFirstRows(items: readonly RequestItem[]): InboxRow[] {
  const rows = items.map((item) => ({ item, isGone: false, isDecidable: false }))
  return groupRows(rows).flatMap((group) => {
    const isDecidable = group.rows.some(({ item }) => item.eligibility.canDecide)
    return group.rows.map((row) => ({ ...row, isDecidable }))
  })
}

/** Consecutive rows. `turn` is null for a single row. */
export interface RowGroup {
  readonly turn: { readonly runId: string; readonly turn: number } | null
  readonly rows: readonly InboxRow[]
}

/**
 * Groups two or more consecutive rows of one turn. Keeps the order of the list. A row of a further
 * page joins no group that comes first: it would push all rows below it down. Pure.
 */
export function groupRows(rows: readonly InboxRow[]): readonly RowGroup[] {
  const groups: { turn: RowGroup['turn']; rows: InboxRow[] }[] = []
  for (const row of rows) {
    const before = groups.at(-1)
    const turn = turnOf(row.item)
    const isSame =
      turn !== null &&
      before?.turn?.runId === turn.runId &&
      before.turn.turn === turn.turn &&
      before.rows.at(-1)?.isDecidable === row.isDecidable
    if (isSame) before.rows.push(row)
    else groups.push({ turn, rows: [row] })
  }
  return groups.map((group) => (group.rows.length > 1 ? group : { ...group, turn: null }))
}

/**
 * The calls of a group: `3 calls of one turn`, or `2 of 3 calls of one turn` where not all of them
 * wait in the list, such as beside a call that a rule approved. Pure.
 */
export function turnWords(rows: readonly InboxRow[]): string {
  // A file that a call shares has a request of its own, and is not a call.
  const calls = new Set(rows.map(({ item }) => item.batch?.position ?? item.id)).size
  const size = Math.max(rows[0]?.item.batch?.size ?? 0, calls)
  return `${calls < size ? `${calls} of ` : ''}${countWords(size, 'call')} of one turn`
}

/** The groups that the person can decide, then the others, each in the order of the list. Pure. */
export function putDecidableFirst(groups: readonly RowGroup[]): readonly RowGroup[] {
  const rank = ({ rows }: RowGroup): number => (rows.some((row) => row.isDecidable) ? 0 : 1)
  return groups.toSorted((one, other) => rank(one) - rank(other))
}

function turnOf({ runId, turn, batch }: RequestItem): RowGroup['turn'] {
  if (runId === null || turn === null || batch === null || batch.size < 2) return null
  return { runId, turn }
}
