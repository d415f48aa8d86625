import type { Tx } from '#store/database.ts'
import type { StoredPresentation } from '../../core/host-queries.ts'

/**
 * Notes which files' bytes a request keeps, so that they stay as long as it refers to them. Written
 * with the revision that shows them; without files nothing is.
 */
export async function noteFiles(
  tx: Tx,
  requestId: string,
  { fileHashes = [] }: Pick<StoredPresentation, 'fileHashes'>,
): Promise<void> {
  if (fileHashes.length === 0) return
  const rows = [...new Set(fileHashes)].map((hash) => ({ request_id: requestId, hash }))
  await tx
    .insertInto('request_file')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
