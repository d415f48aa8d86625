import { sql } from 'kysely'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import type { Tx } from '#store/database.ts'
import { getSaltedText } from './salted-text.ts'

/** How many comments on lines a denial passes to the model: the newest. */
const maxRemarks = 50

/** A comment on a line, with its text. */
export interface Remark extends CommentAnchor {
  readonly text: string
}

export interface Remarks {
  /** the newest, in the order in which they were written */
  readonly remarks: readonly Remark[]
  /** how many older ones there are */
  readonly olderRemarks: number
}

/** Comments on lines from before the denial, without erased ones (product.md 41). */
export async function readRemarks(
  tx: Tx,
  requestId: string,
  deniedAt: Date | null,
): Promise<Remarks> {
  if (deniedAt === null) return { remarks: [], olderRemarks: 0 }
  const rows = await tx
    .selectFrom('comment')
    .select(['text_hash', 'anchor', sql<string>`count(*) over ()`.as('all_remarks')])
    .where('request_id', '=', requestId)
    .where('anchor', 'is not', null)
    .where('created_at', '<=', deniedAt)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxRemarks)
    .execute()
  const remarks: Remark[] = []
  for (const { text_hash: hash, anchor } of rows.toReversed()) {
    const text = await getSaltedText(tx, hash)
    if (anchor !== null && text !== null) remarks.push({ ...anchor, text })
  }
  return { remarks, olderRemarks: Number(rows[0]?.all_remarks ?? 0) - rows.length }
}
