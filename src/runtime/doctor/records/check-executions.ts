import { sql } from 'kysely'
import { askDatabase } from '../target/open-servers.ts'
import type { Check, Finding } from '../target/check.ts'

/** After 90 minutes (its activity's time-out) an execution is given up. */
const maxMinutes = 95

/** No call executes for too long, and no approval of an older epoch can still be used. */
export const checkExecutions: Check = (target) =>
  askDatabase(target, async (db) => {
    const { rows } = await sql<{ forgotten: number; older: number }>`
      select
        (select count(*)::int from execution where state = 'started'
           and started_at < clock_timestamp() - ${maxMinutes} * interval '1 minute') as forgotten,
        (select count(*)::int from execution where state = 'started' and epoch < installation.epoch)
        + (select count(*)::int from permit where state = 'live' and epoch < installation.epoch) as older
      from installation
    `.execute(db)
    const { forgotten = 0, older = 0 } = rows[0] ?? {}
    const findings: Finding[] = []
    if (forgotten > 0) {
      findings.push({
        check: 'executions',
        state: 'problem',
        found: `started calls without a report for over ${maxMinutes} minutes: ${forgotten}`,
        remedy:
          'see that a Temporal worker runs on the host of their workspace; then "countersign doctor --repair" wakes ' +
          'their runs, and what became of each call is asked in the queue',
      })
    }
    if (older > 0) {
      findings.push({
        check: 'executions',
        state: 'problem',
        found: `approvals and started calls from before the last repair, which was interrupted: ${older}`,
        remedy: 'run "countersign doctor --repair" again: each becomes an outcome check',
      })
    }
    if (findings.length > 0) return findings
    return [{ check: 'executions', state: 'ok', found: 'no call was interrupted' }]
  })
