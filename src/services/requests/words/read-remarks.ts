import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import type { Tx } from '#store/database.ts'
import { getSaltedText } from './salted-text.ts'

/** How many comments on lines a denial passes to the model. */
const maxRemarks = 50

/** A comment on a line, with its text. */
export interface Remark extends CommentAnchor {
  readonly text: string
}

/** Comments on lines from before the denial, in order, without erased ones (product.md 41). */
export async function readRemarks(
  tx: Tx,
  requestId: string,
  deniedAt: Date | null,
): Promise<Remark[]> {
  if (deniedAt === null) return []
  const rows = await tx
    .selectFrom('comment')
    .select(['text_hash', 'anchor'])
    .where('request_id', '=', requestId)
    .where('anchor', 'is not', null)
    .where('created_at', '<=', deniedAt)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxRemarks)
    .execute()
  const remarks: Remark[] = []
  for (const { text_hash: hash, anchor } of rows) {
    const text = await getSaltedText(tx, hash)
    if (anchor !== null && text !== null) remarks.push({ ...anchor, text })
  }
  return remarks
}
