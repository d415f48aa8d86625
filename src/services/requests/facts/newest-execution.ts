import { sql, type Selectable } from 'kysely'
import type { ExecutionState } from '#domain/requests/request.ts'
import type { Db, Tx } from '#store/database.ts'
import type { ExecutionTable } from '#store/tables/runs.ts'
import type { ExecutionRecord } from './request-record.ts'

/**
 * Whether `execution` is an attempt that `request` allowed. An attachment is handed over by the
 * attempt of its call, unless a new request replaced it before that attempt.
 */
export const isAttemptOfRequest = sql<boolean>`(
  execution.call_id = request.call_id and (execution.request_id = request.id
    or request.kind = 'attachment' and request.state = 'approved'
      and execution.attempt = request.attempt
      and (request.superseded_by is null or execution.state = 'refused')))`

/**
 * Whether `request` is about a file that was handed over. Its permit is consumed in the transaction
 * that writes the run which gets the file, however that run ends.
 */
const isHandedOver = sql<boolean>`(request.kind = 'attachment' and exists (
  select from permit where permit.request_id = request.id and permit.state = 'consumed'))`

/** What an attempt made of `request`. */
export const effectOfAttempt = sql<ExecutionState>`(
  case when ${isHandedOver} then 'succeeded' else execution.state end)`

/** The newest attempt that a request allowed; `not_started` when there is none. */
export async function newestExecution(db: Db | Tx, requestId: string): Promise<ExecutionRecord> {
  const row = await db
    .selectFrom('request')
    .innerJoin('execution', 'execution.call_id', 'request.call_id')
    .selectAll('execution')
    .select(isHandedOver.as('isHandedOver'))
    .where('request.id', '=', requestId)
    .where(isAttemptOfRequest)
    .orderBy('execution.attempt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? { state: 'not_started' } : executionRecord(row, row.isHandedOver)
}

/** An execution row as its request shows it. `isHandedOver`: the request is about such a file. */
export function executionRecord(
  row: Selectable<ExecutionTable>,
  isHandedOver: boolean,
): ExecutionRecord {
  const { state, attempt, started_at: startedAt } = row
  if (isHandedOver) {
    return {
      state: 'succeeded',
      attempt,
      ...(startedAt === null ? {} : { startedAt, finishedAt: startedAt }),
    }
  }
  return {
    state,
    attempt,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.exit_code === null ? {} : { exitCode: row.exit_code }),
    ...(row.executed_digest === null ? {} : { executedDigest: row.executed_digest }),
    ...(startedAt === null ? {} : { startedAt }),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at }),
  }
}
