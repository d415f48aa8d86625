import { Problem } from '#domain/problem.ts'
import { releaseContent } from '#store/content/drop-content.ts'
import type { Db } from '#store/database.ts'
import type { StoredPresentation } from './host-queries.ts'

/**
 * Runs `work` on something judged and shown on the host of a workspace. If it throws or returns a
 * `Problem`, no row refers to the stored content, which is then released.
 */
export async function releaseOnFailure<T>(
  db: Db,
  presented: StoredPresentation | null,
  work: () => Promise<T>,
): Promise<T> {
  let isUsed = false
  try {
    const answer = await work()
    isUsed = !(answer instanceof Problem)
    return answer
  } finally {
    if (!isUsed && presented !== null) {
      const { inputHash, presentationHash, contentHash, fileHashes = [] } = presented
      const hashes = [inputHash, presentationHash, contentHash, ...fileHashes]
      await db.transaction().execute((tx) => releaseContent(tx, hashes))
    }
  }
}
