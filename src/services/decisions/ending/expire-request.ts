import { sql } from 'kysely'
import type { RequestState } from '../../../domain/request.ts'
import type { ServiceContext } from '../../context.ts'
import { lockRequests, lockRun } from '../../locks.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { expireLocked } from './expire-locked.ts'

/**
 * Proposes that a request has expired; the row disposes (architecture.md, the decision protocol): it expires only when
 * it is still pending and its time is over by the database's clock. Returns what the row says then.
 */
export async function expireRequest(
  ctx: ServiceContext,
  input: { readonly requestId: string },
): Promise<RequestState> {
  const found = await ctx.db
    .selectFrom('request')
    .select('run_id')
    .where('id', '=', input.requestId)
    .executeTakeFirst()
  return inUnitOfWork(ctx, async (unit) => {
    if (found?.run_id != null) await lockRun(unit.tx, found.run_id)
    const [request] = await lockRequests(unit.tx, [input.requestId])
    if (request === undefined) throw new Error(`There is no request ${input.requestId}`)
    if (request.state !== 'pending') return request.state
    const clock = await sql<{ over: boolean }>`
      select clock_timestamp() >= expires_at as over from request where id = ${request.id}
    `.execute(unit.tx)
    if (clock.rows[0]?.over !== true) return 'pending'
    await expireLocked(unit, request)
    return 'expired'
  })
}

/**
 * Proposes expiry for what is due: a run's requests, or with no run (the reconciler) the oldest `most` of all.
 * Returns the ids that expired.
 */
export async function expireDue(
  ctx: ServiceContext,
  input: { readonly runId?: string; readonly most: number },
): Promise<string[]> {
  let due = ctx.db
    .selectFrom('request')
    .select('id')
    .where('state', '=', 'pending')
    .where(sql<boolean>`expires_at <= clock_timestamp()`)
  if (input.runId !== undefined) due = due.where('run_id', '=', input.runId)
  const rows = await due.orderBy('expires_at').limit(input.most).execute()
  const expired: string[] = []
  for (const row of rows) {
    if ((await expireRequest(ctx, { requestId: row.id })) === 'expired') expired.push(row.id)
  }
  return expired
}
