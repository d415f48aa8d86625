import { connectTemporal } from '#delivery/temporal-client.ts'
import type { Db } from '#store/database.ts'
import {
  describeRestored,
  describeUnaccepted,
  findRestored,
  findUnaccepted,
} from '../../data-folder/high-water-mark.ts'
import { askDatabase } from '../target/open-servers.ts'
import { type Check, type Finding, type CheckTarget, answersWithinMs } from '../target/check.ts'

/** Postgres and Temporal belong to this installation, and neither was restored unnoticed. */
export const checkInstallation: Check = (target) =>
  askDatabase(target, async (db) => {
    const findings = [await checkMark(db, target), await checkNamespace(db, target)]
    return findings.flatMap((finding) => (finding === null ? [] : [finding]))
  })

const acceptIt =
  'run "countersign doctor --repair": approvals that may have been used meanwhile become outcome checks for a ' +
  'person to settle'

async function checkMark(db: Db, { folders }: CheckTarget): Promise<Finding> {
  const restored = await findRestored(folders.dataDir, db)
  if (restored === null) {
    const unaccepted = await findUnaccepted(db)
    if (unaccepted === null)
      return { check: 'record', state: 'ok', found: 'Postgres has everything that was recorded' }
    return {
      check: 'record',
      state: 'problem',
      found: describeUnaccepted(unaccepted),
      remedy: acceptIt,
    }
  }
  return {
    check: 'record',
    state: 'problem',
    found: describeRestored(restored),
    remedy: `stop the service; bring the newer database back, or ${acceptIt}`,
  }
}

async function checkNamespace(db: Db, target: CheckTarget): Promise<Finding | null> {
  if (target.temporalAddress === null) return null
  const row = await db
    .selectFrom('installation')
    .select(['namespace_id', 'epoch'])
    .executeTakeFirst()
  await using temporal = connectTemporal({
    address: target.temporalAddress,
    namespace: target.temporalNamespace,
    deadlineMs: answersWithinMs,
    ...target.temporalSecurity,
  })
  const namespaceId = await temporal.namespaceId()
  const expected = row?.namespace_id ?? null
  if (expected === null || expected === namespaceId) {
    return {
      check: 'namespace',
      state: 'ok',
      found: `Temporal is the one of this installation (epoch ${row?.epoch ?? 1})`,
    }
  }
  return {
    check: 'namespace',
    state: 'problem',
    found: `Temporal's namespace (id ${namespaceId}) is not the one of this installation (id ${expected}): it was emptied, or it is another server`,
    remedy:
      'point TEMPORAL_ADDRESS at the right server, or run "countersign doctor --repair" to go on with this one: ' +
      'runs are started again from where Postgres says they are',
  }
}
