import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import type { GatewayCallTable } from '#store/tables/gateway.ts'
import type { ExternalRequestTable, RequestTable } from '#store/tables/requests.ts'
import { lockRequests } from '../core/locks.ts'

/** A gateway call with its rows, as the executor reads them. */
export interface CallToMake {
  readonly request: Selectable<RequestTable>
  readonly external: Selectable<ExternalRequestTable>
  readonly call: Selectable<GatewayCallTable>
  /** a caller waits for the result, or the call is an MCP task, whose result is stored */
  readonly isAwaited: boolean
}

/** How long after its last poll a caller counts as waiting. */
const callerTimeoutMs = 10 * 60 * 1000

/** Reads the call and locks its request; `null`: it is not a call of the gateway. */
export async function lockCallToMake(tx: Tx, requestId: string): Promise<CallToMake | null> {
  const [request] = await lockRequests(tx, [requestId])
  return request === undefined ? null : readBeside(tx, request)
}

/** The same without a lock, for what is judged before the request is locked. */
export async function readCallToMake(db: Db, requestId: string): Promise<CallToMake | null> {
  const request = await db
    .selectFrom('request')
    .selectAll()
    .where('id', '=', requestId)
    .executeTakeFirst()
  return request === undefined ? null : readBeside(db, request)
}

async function readBeside(
  db: Db | Tx,
  request: Selectable<RequestTable>,
): Promise<CallToMake | null> {
  const external = await db
    .selectFrom('external_request')
    .selectAll()
    .where('request_id', '=', request.id)
    .executeTakeFirst()
  const row = await db
    .selectFrom('gateway_call')
    .selectAll()
    .select(
      sql<boolean>`by_task or coalesce(wanted_at > clock_timestamp() - ${callerTimeoutMs} * interval '1 millisecond', false)`.as(
        'is_wanted',
      ),
    )
    .where('request_id', '=', request.id)
    .executeTakeFirst()
  if (external === undefined || row === undefined) return null
  const { is_wanted: isAwaited, ...call } = row
  return { request, external, call, isAwaited }
}
