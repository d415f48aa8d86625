import { sql } from 'kysely'
import { setTimeout as delay } from 'node:timers/promises'
import type { DecisionStage, RequestKind, RequestState } from '#domain/requests/request.ts'
import { databaseOutageOf } from '#store/connection/database-outage.ts'
import type { ServiceContext } from '../../core/context.ts'
import { newestExecution } from '../facts/newest-execution.ts'
import type { ExecutionRecord } from '../facts/request-record.ts'

export interface StageRecord {
  readonly stage: DecisionStage
  readonly execution: ExecutionRecord
  /** whether the decision has reached its last stage */
  readonly final: boolean
}

/**
 * The stage of a decision: `recorded` in Postgres, `delivered` to Temporal, then the state of the
 * execution it allowed: `refused` where the approval was revoked before it (product.md 14), as
 * `stale` if a new request replaced it. A denial ends with `delivered`, and so does the approval of
 * a program's request; a decision that waits for others stays `recorded`.
 */
async function readStage(
  ctx: Pick<ServiceContext, 'db'>,
  input: { readonly decisionId: string },
): Promise<StageRecord> {
  const result = await sql<StageFacts>`
    select request.id as "requestId", request.state, request.kind,
      request.superseded_by is not null as "isReplaced",
      exists (
        select 1 from outbox
        where outbox.run_id = coalesce(request.run_id, request.id) and outbox.kind = 'signal_decided'
          and outbox.created_at >= decision.at and outbox.delivered_at is not null
          and jsonb_exists(outbox.payload->'requestIds', request.id::text)
      ) as delivered,
      exists (
        select 1 from permit
        where permit.request_id = request.id and permit.revision = request.revision
          and permit.state = 'revoked'
      ) as "isRevoked"
    from decision join request on request.id = decision.request_id
    where decision.id = ${input.decisionId}
  `.execute(ctx.db)
  const row = result.rows[0]
  if (row === undefined) throw new Error(`There is no decision ${input.decisionId}`)
  const notStarted: ExecutionRecord = { state: 'not_started' }
  if (row.state === 'pending') return { stage: 'recorded', execution: notStarted, final: true }
  const newest =
    row.state === 'approved' ? await newestExecution(ctx.db, row.requestId) : notStarted
  const isRefused = row.state === 'approved' && newest.state === 'not_started' && row.isRevoked
  const reason = row.isReplaced ? 'stale' : 'revoked'
  const execution: ExecutionRecord = isRefused ? { state: 'refused', reason } : newest
  if (execution.state !== 'not_started') {
    return { stage: execution.state, execution, final: execution.state !== 'started' }
  }
  const stage = row.delivered ? 'delivered' : 'recorded'
  const isOver = row.state !== 'approved' || row.kind === 'external' || row.kind === 'start'
  // A program makes its call when it consumes the permit, whenever that is.
  return { stage, execution, final: row.delivered && isOver }
}

interface StageFacts {
  readonly requestId: string
  readonly state: RequestState
  readonly kind: RequestKind
  readonly delivered: boolean
  readonly isRevoked: boolean
  readonly isReplaced: boolean
}

/**
 * Waits until the stage of a decision is final, at most `withinMs` (`Prefer: wait`), and returns
 * the stage by then. Stops when `signal` fires, because the caller has gone or the process stops.
 * The decision is recorded already: if the database fails meanwhile, the answer is the stage that
 * was read last.
 */
export async function waitForStage(
  ctx: Pick<ServiceContext, 'db'>,
  input: {
    readonly decisionId: string
    readonly withinMs: number
    readonly signal?: AbortSignal
  },
): Promise<StageRecord> {
  const deadline = performance.now() + input.withinMs
  const execution: ExecutionRecord = { state: 'not_started' }
  let record: StageRecord = { stage: 'recorded', execution, final: false }
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
    try {
      record = await readStage(ctx, input)
    } catch (error) {
      if (databaseOutageOf(error) === null) throw error
      return record
    }
    const leftMs = deadline - performance.now()
    if (record.final || leftMs <= 0 || input.signal?.aborted === true) return record
    await delay(Math.min(pauseMs, leftMs))
  }
}
