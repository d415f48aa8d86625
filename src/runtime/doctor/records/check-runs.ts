import { compareRuns, type Comparison } from '#delivery/reconciling/compare-runs.ts'
import type { Db } from '#store/database.ts'
import type { Check, Finding } from '../target/check.ts'
import { openServers } from '../target/open-servers.ts'

const stillSeconds = 60
const maxRuns = 1_000

/** Every run that has not ended has its workflow, and every workflow its run. */
export const checkRuns: Check = async (target) => {
  try {
    await using servers = openServers(target)
    if (servers === null) return []
    const { db, temporal } = servers
    // In another Temporal every workflow is missing, which the check of the namespace reports.
    if (await isForeign(db, await temporal.namespaceId())) return []
    return explain(await compareRuns(db, temporal, { stillSeconds, maxRuns }))
  } catch {
    // The checks of Postgres and Temporal report a server that does not answer.
    return []
  }
}

async function isForeign(db: Db, namespaceId: string): Promise<boolean> {
  const row = await db.selectFrom('installation').select('namespace_id').executeTakeFirst()
  return (row?.namespace_id ?? namespaceId) !== namespaceId
}

const repairNow =
  'a running API repairs it within a minute; "countersign doctor --repair" does it now'

function explain({ open, missing, revived, orphans, still, stalled }: Comparison): Finding[] {
  const findings: Finding[] = []
  const report = (ids: readonly string[], finding: string, remedy: string): void => {
    if (ids.length === 0) return
    const examples = `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`
    findings.push({
      check: 'runs',
      state: 'problem',
      found: `${finding}: ${ids.length} (${examples})`,
      remedy,
    })
  }
  report(
    missing,
    'runs without a workflow, since Temporal was restored from an older copy or emptied',
    `each is started again from its state in Postgres: ${repairNow}`,
  )
  report(
    revived,
    'runs that have ended although their workflow goes on, since Temporal was restored from an older copy',
    `each is woken, sees that its run has ended, and ends: ${repairNow}`,
  )
  report(
    still,
    'runs that wait for nobody and do not move, since their workflow has missed a signal',
    `each is woken and reads its state: ${repairNow}`,
  )
  report(
    stalled,
    'runs whose workflow code fails again and again, since a deployment does not fit them',
    'look at the log of the Temporal workers and deploy code that fits (or the one before): they go on by themselves',
  )
  report(
    orphans,
    'workflows without a run, since Postgres was emptied or is older than Temporal, or another installation uses this namespace',
    '"countersign doctor --repair" wakes them: those without a run end, and those of another installation go on',
  )
  if (findings.length > 0) return findings
  return [
    {
      check: 'runs',
      state: 'ok',
      found: `${open === 1 ? '1 run goes' : `${open} runs go`} on, each with its workflow`,
    },
  ]
}
