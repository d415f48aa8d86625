import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import type { InboxRow } from './inbox-rows.ts'

/** Consecutive rows. `turn` is null for a single row. */
export interface RowGroup {
  readonly turn: { readonly runId: string; readonly turn: number } | null
  readonly rows: readonly InboxRow[]
}

/** Groups two or more consecutive rows of one turn. Keeps the order of the list. Pure. */
export function groupRows(rows: readonly InboxRow[]): readonly RowGroup[] {
  const groups: { turn: RowGroup['turn']; rows: InboxRow[] }[] = []
  for (const row of rows) {
    const before = groups.at(-1)
    const turn = turnOf(row.item)
    const isSame =
      turn !== null && before?.turn?.runId === turn.runId && before.turn.turn === turn.turn
    if (isSame) before.rows.push(row)
    else groups.push({ turn, rows: [row] })
  }
  return groups.map((group) => (group.rows.length > 1 ? group : { ...group, turn: null }))
}

function turnOf({ runId, turn, batch }: RequestItem): RowGroup['turn'] {
  if (runId === null || turn === null || batch === null || batch.size < 2) return null
  return { runId, turn }
}
