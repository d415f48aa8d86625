import { randomUUID } from 'node:crypto'
import { issuedCalls } from '#delivery/reconciling/issued-calls.ts'
import type { TemporalClient } from '#delivery/temporal-client.ts'
import { createSeals, type SealKeys } from '#domain/statements/row-seals.ts'
import { adoptRows } from '#services/installation/adopt-rows.ts'
import {
  acceptEmptied,
  isReconciled,
  refuseForgedEpoch,
} from '#services/installation/epoch-of-rows.ts'
import { raiseEpoch, type LostRows } from '#services/installation/raise-epoch.ts'
import { readCallsWithoutRequest } from '#services/installation/calls-without-request.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { Db } from '#store/database.ts'
import {
  findRestored,
  findUnaccepted,
  forgetMark,
  isKnownWhole,
} from '../data-folder/high-water-mark.ts'
import { hostProofReader } from '../data-folder/run-secrets.ts'
import { openLedger } from '../data-folder/ledger.ts'
import { acceptDatabase, openMemory } from '../data-folder/memory.ts'
import { openRevocations } from '../data-folder/revocations.ts'
import { loadSigner } from '../keys/signing-key.ts'
import { markAdopted } from '../keys/adopt-once.ts'
import { createSealKeyOnce, loadSealKeys } from '../keys/seal-keys.ts'
import { loadVerifier } from '../keys/public-keys.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { createLog } from '../logging.ts'
import type { Finding, CheckTarget } from './target/check.ts'
import { repairRuns } from './repair-runs.ts'
import { openServers } from './target/open-servers.ts'
import type { SystemContext } from '#services/core/context.ts'
import { createServiceProcess } from '#services/core/system.ts'

/**
 * Accepts Postgres and Temporal as they are now, and reconciles them. Unless it is known that
 * neither was emptied or restored, the epoch rises: calls that may have run in the lost time become
 * outcome checks. Then missing workflows are started and those that are behind are woken. Returns
 * what was done. Throws one sentence when either does not answer, or the schema is not of this
 * version.
 */
export async function repair(target: CheckTarget): Promise<Finding[]> {
  await using servers = openServers(target)
  if (servers === null) {
    throw new Error('there is nothing to repair: this data folder has no database yet')
  }
  const { db, temporal } = servers
  await checkSchema(db)
  const { dataDir } = target.folders
  const namespaceId = await temporal.namespaceId()
  const memory = openMemory(dataDir)
  await refuseForgedEpoch(db, memory)
  const restored = await findRestored(dataDir, db)
  const verifier = await loadVerifier(dataDir, target.environment)
  const log = createLog('doctor', 'error')
  await createSealKeyOnce(dataDir, target.environment)
  const shared = loadSealKeys(dataDir, target.environment)
  const seals = createSeals({
    sharedKeys: shared,
    verifier,
    signer: null,
    revocations: openRevocations(dataDir),
  })
  // Accepts the database as it is, with its version of the policy.
  await acceptDatabase(dataDir, memory.epoch())
  const policies = createPolicyReader({ db, verifier, memory, log })
  const ctx: SystemContext = {
    db,
    verifier,
    seals,
    ledger: openLedger(dataDir),
    memory,
    hostProof: hostProofReader(dataDir),
    log,
    policies,
    processId: randomUUID(),
    system: createServiceProcess(),
    outboxCommitted: null,
  }
  const actions: string[] = []
  if (restored?.newest === null) {
    await acceptEmptied(db, { memory, namespaceId })
    actions.push(
      'the empty database was accepted: the installation starts again from the beginning',
    )
  } else {
    const isWhole = (await findUnaccepted(db)) === null && (await isKnownWhole(dataDir, db))
    if (!isWhole || !(await isReconciled(db, { memory, namespaceId }))) {
      const lostRows = isWhole ? null : { mayHaveRun: await callsOfLostTime(db, temporal) }
      if (lostRows !== null) await adoptRestored(ctx, shared, target)
      actions.push(...(await beginEpoch(ctx, dataDir, { namespaceId, lost: lostRows })))
    }
  }
  await forgetMark(dataDir)
  actions.push(...(await repairRuns(ctx, temporal, target.environment)))
  if (actions.length === 0) actions.push('nothing needed repair')
  return actions.map((action) => ({ check: 'repair', state: 'ok', found: action }))
}

/** Seals the rows of a restored database again: their key may be lost, or they have no seal. */
async function adoptRestored(
  ctx: SystemContext,
  sharedKeys: () => SealKeys,
  { folders: { dataDir }, environment }: CheckTarget,
): Promise<void> {
  const signer = await loadSigner(dataDir, environment)
  const verifier = await loadVerifier(dataDir, environment)
  const seals = createSeals({
    sharedKeys,
    verifier,
    signer,
    revocations: openRevocations(dataDir),
  })
  await adoptRows({ ...ctx, verifier, seals }, { again: true })
  await markAdopted(dataDir)
}

/**
 * Calls without approval that have not run by the rows, although Temporal carried them out in the
 * lost time, or does not know their run.
 */
async function callsOfLostTime(db: Db, temporal: TemporalClient): Promise<string[]> {
  const callIds: string[] = []
  const issued = new Map<string, ReadonlySet<string> | null>()
  for (const { callId, workflowId } of await readCallsWithoutRequest(db)) {
    if (!issued.has(workflowId)) issued.set(workflowId, await issuedCalls(temporal, workflowId))
    if (issued.get(workflowId)?.has(callId) ?? true) callIds.push(callId)
  }
  return callIds
}

async function beginEpoch(
  ctx: SystemContext,
  dataDir: string,
  facts: { readonly namespaceId: string; readonly lost: LostRows | null },
): Promise<string[]> {
  const { epoch, checks, waiting } = await raiseEpoch(ctx, facts)
  await acceptDatabase(dataDir, epoch)
  const began = `the epoch is ${epoch} now; ${countWords(checks, 'call')} that may have run became outcome checks`
  if (waiting === 0) return [began]
  const pending =
    `${countWords(waiting, 'request')} that may have been decided in the time that was lost are pending again, ` +
    'and marked: look before you decide them'
  return [began, pending]
}
