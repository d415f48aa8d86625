import type { Verdict } from '#evidence/verify/findings/finding.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { exportOf } from './export-of.ts'
import { seededChoices } from '../../shell/seeded.ts'
import { tamper, type Tampering } from './tamper.ts'
import type { WitnessedDesk } from './witnessed-desk.ts'

/**
 * The verdicts on a fresh export, by the keys of log and witness, after a tampering that is then
 * undone. `done`: a description of it; `null`: nothing could be done to this table.
 */
export async function tamperedVerdicts(
  { desk, signer, witness }: WitnessedDesk,
  what: { readonly table: string; readonly tampering: Tampering; readonly seed: number },
): Promise<{ readonly done: string | null; readonly verdicts: readonly Verdict[] }> {
  const tx = await desk.database.db.startTransaction().execute()
  try {
    const done = await tamper(tx, what.table, what.tampering, seededChoices(what.seed))
    const files = await exportOf(tx, signer, desk.api.verifier)
    return { done, verdicts: verifyLog(files, signer.key, null, { keys: [witness.key], count: 1 }) }
  } finally {
    await tx.rollback().execute()
  }
}
