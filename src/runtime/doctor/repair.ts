import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { raiseEpoch } from '../../services/installation/raise-epoch.ts'
import { createPolicyReader } from '../../services/policy/policy-reader.ts'
import type { ServiceContext } from '../../services/context.ts'
import type { Db } from '../../store/database.ts'
import { findRestored, forgetMark, isKnownWhole } from '../data-folder/high-water-mark.ts'
import { loadVerifier } from '../keys/public-keys.ts'
import { createLog } from '../logging.ts'
import type { Finding, Patient } from './check.ts'
import { mendRuns } from './mend-runs.ts'
import { openServers } from './open-servers.ts'

/**
 * Accept Postgres and Temporal as they are now, and bring them together. Unless it is known that neither was
 * emptied or restored, the epoch rises: what may have run in the time that was lost becomes an outcome check. Then
 * missing workflows are started and those that stand behind are woken. Answers what was done.
 *
 * Throws one sentence when either does not answer.
 */
export async function repair(patient: Patient): Promise<Finding[]> {
  await using servers = openServers(patient)
  if (servers === null) {
    throw new Error('there is nothing to repair: this data folder has no database yet')
  }
  const { db, temporal } = servers
  const { dataDir } = patient.folders
  const namespaceId = await temporal.namespaceId()
  const restored = await findRestored(dataDir, db)
  const verifier = await loadVerifier(dataDir, patient.environment)
  const log = createLog('doctor', 'error')
  const policies = createPolicyReader({ db, verifier, log })
  const ctx = { db, verifier, log, policies, processId: randomUUID(), outboxCommitted: null }
  const done: string[] = []
  if (restored?.found === null) {
    // An empty database holds no permit and no execution: there is nothing that could run again.
    await db
      .updateTable('installation')
      .set({ namespace_id: namespaceId, restored_at: null })
      .execute()
    done.push('the empty database was accepted: the installation begins anew')
  } else if (!(await isKnownSound(db, { dataDir, namespaceId }))) {
    done.push(await beginEpoch(ctx, namespaceId))
  }
  await forgetMark(dataDir)
  done.push(...(await mendRuns(ctx, temporal, patient.environment)))
  if (done.length === 0) done.push('nothing needed mending')
  return done.map((found) => ({ check: 'repair', state: 'ok', found }))
}

async function beginEpoch(ctx: ServiceContext, namespaceId: string): Promise<string> {
  const { epoch, checks } = await raiseEpoch(ctx, { namespaceId })
  return `the epoch is ${epoch} now; ${checks} call${checks === 1 ? '' : 's'} that may have run became outcome checks`
}

/** Known, and not only not refuted: nothing was lost, Temporal is ours, and no earlier repair was interrupted. */
async function isKnownSound(
  db: Db,
  { dataDir, namespaceId }: { dataDir: string; namespaceId: string },
): Promise<boolean> {
  const { rows } = await sql<{ sound: boolean }>`
    select coalesce(namespace_id = ${namespaceId}, false) and restored_at is null
      and not exists (select from permit where state = 'live' and epoch < installation.epoch)
      and not exists (select from execution where state = 'started' and epoch < installation.epoch)
      as sound
    from installation
  `.execute(db)
  return rows[0]?.sound === true && (await isKnownWhole(dataDir, db))
}
