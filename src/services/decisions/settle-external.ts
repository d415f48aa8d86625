import { sql, type Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { aboutRequest } from '../requests/ending/end-request.ts'
import type { SettlementThen } from '#domain/requests/request.ts'

/**
 * Records what a person found out about a lost call of the gateway: it took effect, it did not, or
 * nobody can tell (`null`: it stays unknown). Rejects with `conflict` when its end is known.
 */
export async function settleExternal(
  unit: UnitOfWork,
  check: Selectable<RequestTable>,
  finding: { readonly ran: boolean | null; readonly then: SettlementThen },
): Promise<void> {
  const { ran, then } = finding
  const settled = await unit.tx
    .updateTable('external_request')
    .set({
      outcome: ran === null ? 'unknown' : ran ? 'succeeded' : 'failed',
      outcome_at: sql<Date>`clock_timestamp()`,
    })
    .where('request_id', '=', check.outcome_of)
    .where('outcome', '=', 'unknown')
    .executeTakeFirst()
  if (settled.numUpdatedRows !== 1n) {
    throw new Problem('conflict', 'The outcome of this call is already settled')
  }
  await unit.audit({
    type: 'execution.settled',
    ...aboutRequest(check),
    digest: check.digest,
    detail: { by: 'gateway', outcomeOf: check.outcome_of, ran, then },
  })
  await unit.event('request.changed', { requestId: check.outcome_of })
}
