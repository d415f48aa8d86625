import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { Db, Tx } from '#store/database.ts'
import { verifyActivation } from './verify-activation.ts'

/** Rows that one query reads. */
const maxRows = 200

/**
 * Sequence of the newest signed activation of a version; `null` when it was never activated. Rows
 * without a valid signature count for nothing, however many somebody inserted above it.
 */
export async function sequenceOfVersion(
  db: Db | Tx,
  verifier: Verifier,
  digest: string,
): Promise<number | null> {
  for (let below: number | undefined = Number.MAX_SAFE_INTEGER; below !== undefined;) {
    const rows = await db
      .selectFrom('policy_activation')
      .select(['sequence', 'digest', 'statement', 'signature', 'key_id'])
      .where('digest', '=', digest)
      .where('sequence', '<', below)
      .orderBy('sequence', 'desc')
      .limit(maxRows)
      .execute()
    const signed = rows.find((row) => verifyActivation(verifier, row) !== null)
    if (signed !== undefined) return signed.sequence
    below = rows.length < maxRows ? undefined : rows.at(-1)?.sequence
  }
  return null
}
