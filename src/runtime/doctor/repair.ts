import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { issuedCalls } from '../../delivery/reconciling/issued-calls.ts'
import type { TemporalClient } from '../../delivery/temporal-client.ts'
import { raiseEpoch, type LostRows } from '../../services/installation/raise-epoch.ts'
import { readUnaskedCalls } from '../../services/installation/unasked-calls.ts'
import { createPolicyReader } from '../../services/policy/policy-reader.ts'
import type { ServiceContext } from '../../services/context.ts'
import { counted } from '../../domain/text/counted.ts'
import type { Db } from '../../store/database.ts'
import {
  findRestored,
  findUnaccepted,
  forgetMark,
  isKnownWhole,
} from '../data-folder/high-water-mark.ts'
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
  } else {
    const isWhole = (await findUnaccepted(db)) === null && (await isKnownWhole(dataDir, db))
    if (!isWhole || !(await isReconciled(db, namespaceId))) {
      const lost = isWhole ? null : { mayHaveRun: await callsOfLostTime(db, temporal) }
      done.push(...(await beginEpoch(ctx, { namespaceId, lost })))
    }
  }
  await forgetMark(dataDir)
  done.push(...(await mendRuns(ctx, temporal, patient.environment)))
  if (done.length === 0) done.push('nothing needed mending')
  return done.map((found) => ({ check: 'repair', state: 'ok', found }))
}

/**
 * Calls that need no approval and that the rows say have not run, although Temporal had them carried out in the time that
 * was lost, or knows nothing of their run.
 */
async function callsOfLostTime(db: Db, temporal: TemporalClient): Promise<string[]> {
  const found: string[] = []
  const issued = new Map<string, ReadonlySet<string> | null>()
  for (const { callId, workflowId } of await readUnaskedCalls(db)) {
    if (!issued.has(workflowId)) issued.set(workflowId, await issuedCalls(temporal, workflowId))
    if (issued.get(workflowId)?.has(callId) ?? true) found.push(callId)
  }
  return found
}

async function beginEpoch(
  ctx: ServiceContext,
  known: { readonly namespaceId: string; readonly lost: LostRows | null },
): Promise<string[]> {
  const { epoch, checks, waiting } = await raiseEpoch(ctx, known)
  const began = `the epoch is ${epoch} now; ${counted(checks, 'call')} that may have run became outcome checks`
  if (waiting === 0) return [began]
  const asked =
    `${counted(waiting, 'request')} that may have been decided in the time that was lost are pending again, ` +
    'and marked: look before you decide them'
  return [began, asked]
}

/** Known, and not only not refuted: Temporal is ours, and no earlier repair was interrupted. */
async function isReconciled(db: Db, namespaceId: string): Promise<boolean> {
  const { rows } = await sql<{ reconciled: boolean }>`
    select coalesce(namespace_id = ${namespaceId}, false)
      and not exists (select from permit where state = 'live' and epoch < installation.epoch)
      and not exists (select from execution where state = 'started' and epoch < installation.epoch)
      as reconciled
    from installation
  `.execute(db)
  return rows[0]?.reconciled === true
}
