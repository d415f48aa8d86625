import { sql, type Selectable } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import type { GatewayCallTable } from '#store/tables/gateway.ts'
import { lockExternal, readExternal, type ExternalRows } from '../external/external-rows.ts'

/** A gateway call with its rows, as the executor reads them. */
export interface CallToMake extends ExternalRows {
  readonly call: Selectable<GatewayCallTable>
  /** a caller waits for the result, or the call is an MCP task, whose result is stored */
  readonly isAwaited: boolean
}

/** How long after its last call a caller counts as waiting. */
const callerTimeoutMs = 10 * 60 * 1000

/** Condition on a row of `gateway_call`: a caller waits for its result. */
export const hasWaitingCaller = sql<boolean>`coalesce(
  wanted_at > clock_timestamp() - ${callerTimeoutMs} * interval '1 millisecond', false)`

/** Reads the call and locks its request; `null`: it is not a call of the gateway. */
export async function lockCallToMake(tx: Tx, requestId: string): Promise<CallToMake | null> {
  return withCall(tx, await lockExternal(tx, requestId))
}

/** The same without a lock, for what is judged before the request is locked. */
export async function readCallToMake(db: Db, requestId: string): Promise<CallToMake | null> {
  return withCall(db, await readExternal(db, requestId))
}

async function withCall(db: Db | Tx, rows: ExternalRows | null): Promise<CallToMake | null> {
  if (rows === null) return null
  const row = await db
    .selectFrom('gateway_call')
    .selectAll()
    .select(sql<boolean>`by_task or ${hasWaitingCaller}`.as('is_wanted'))
    .where('request_id', '=', rows.request.id)
    .executeTakeFirst()
  if (row === undefined) return null
  const { is_wanted: isAwaited, ...call } = row
  return { ...rows, call, isAwaited }
}
