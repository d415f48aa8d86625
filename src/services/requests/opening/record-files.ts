import type { Tx } from '#store/database.ts'
import type { StoredPresentation } from '../../core/host-queries.ts'

/**
 * Records which files' bytes a request refers to, so that they are kept as long as it does. Written
 * with the revision that shows them; without files it does nothing.
 */
export async function recordFiles(
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
