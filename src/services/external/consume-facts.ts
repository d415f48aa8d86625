import { sql, type Selectable } from 'kysely'
import type { CallFacts } from '#domain/requests/request.ts'
import type { Tx } from '#store/database.ts'
import type { PermitTable } from '#store/tables/decisions.ts'

/** The facts by which the use of a permit is judged, read under the request's lock. */
export interface ConsumeFacts {
  readonly now: Date
  readonly epoch: number
  /** the facts of the approved revision */
  readonly facts: CallFacts
  /** the permit for that revision; `null`: none was issued */
  readonly permit: Selectable<PermitTable> | null
}

/** Reads the facts in two queries; the time is the database's. */
export async function readConsumeFacts(tx: Tx, requestId: string): Promise<ConsumeFacts> {
  const { rows } = await sql<Omit<ConsumeFacts, 'permit'>>`
    select clock_timestamp() as now, (select epoch from installation) as epoch, shown.facts
    from request join request_revision as shown
      on shown.request_id = request.id and shown.revision = request.revision
    where request.id = ${requestId}
  `.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error(`Request ${requestId} has no revision`)
  const permit = await tx
    .selectFrom('permit')
    .innerJoin('request', (join) =>
      join
        .onRef('request.id', '=', 'permit.request_id')
        .onRef('request.revision', '=', 'permit.revision'),
    )
    .selectAll('permit')
    .where('permit.request_id', '=', requestId)
    .executeTakeFirst()
  return { ...row, permit: permit ?? null }
}
