import { randomUUID } from 'node:crypto'
import { connectTemporal } from '../../delivery/temporal-client.ts'
import { raiseEpoch } from '../../services/installation/raise-epoch.ts'
import { createPolicyReader } from '../../services/policy/policy-reader.ts'
import { connectDatabase } from '../../store/database.ts'
import { findRestored, forgetMark } from '../high-water-mark.ts'
import { loadVerifier } from '../keys.ts'
import { createLog } from '../logging.ts'
import type { Finding, Patient } from './check.ts'

/**
 * Accept Postgres and Temporal as they are now, after one of them was emptied or restored: the epoch
 * rises, and what may have run in the time that was lost becomes an outcome check.
 *
 * Throws one sentence when either does not answer.
 */
export async function repair(patient: Patient): Promise<Finding[]> {
  const { databaseUrl, temporalAddress, folders } = patient
  if (databaseUrl === null || temporalAddress === null) {
    throw new Error('there is nothing to repair: this data folder has no database yet')
  }
  await using undo = new AsyncDisposableStack()
  const db = connectDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'countersign doctor',
  })
  undo.defer(() => db.destroy())
  const temporal = connectTemporal({
    address: temporalAddress,
    namespace: patient.temporalNamespace,
    ...patient.temporalSecurity,
  })
  undo.defer(() => temporal.close())
  const namespaceId = await temporal.namespaceId()
  const restored = await findRestored(folders.dataDir, db)
  if (restored?.found === null) {
    // An empty database holds no permit and no execution: there is nothing that could run again.
    await db.updateTable('installation').set({ namespace_id: namespaceId }).execute()
    await forgetMark(folders.dataDir)
    return [
      {
        check: 'repair',
        state: 'ok',
        found: 'the empty database was accepted: the installation begins anew',
      },
    ]
  }
  const verifier = await loadVerifier(folders.dataDir, patient.environment)
  const log = createLog('doctor', 'error')
  const policies = createPolicyReader({ db, verifier, log })
  const ctx = { db, verifier, log, policies, processId: randomUUID(), outboxCommitted: null }
  const { epoch, checks } = await raiseEpoch(ctx, { namespaceId })
  await forgetMark(folders.dataDir)
  const found = `the epoch is ${epoch} now; ${checks} call${checks === 1 ? '' : 's'} that may have run became outcome checks`
  return [{ check: 'repair', state: 'ok', found }]
}
