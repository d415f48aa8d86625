import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { Db, Tx } from '#store/database.ts'
import { verifyActivation, type ActivationRow } from './verify-activation.ts'

/** Rows of one query. */
const maxRows = 200

/**
 * Sequence of the newest signed activation of a version; `null` when it was never activated. Rows
 * without a valid signature are skipped, however many there are.
 */
export async function sequenceOfVersion(
  db: Db | Tx,
  verifier: Verifier,
  digest: string,
): Promise<number | null> {
  let below: number | null = null
  for (;;) {
    const page = db
      .selectFrom('policy_activation')
      .select(['sequence', 'digest', 'statement', 'signature', 'key_id'])
      .where('digest', '=', digest)
      .orderBy('sequence', 'desc')
      .limit(maxRows)
    const rows: ActivationRow[] = await (
      below === null ? page : page.where('sequence', '<', below)
    ).execute()
    const signedRow = rows.find((row) => verifyActivation(verifier, row) !== null)
    if (signedRow !== undefined) return signedRow.sequence
    const last = rows.at(-1)
    if (last === undefined || rows.length < maxRows) return null
    below = last.sequence
  }
}
