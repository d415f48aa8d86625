import { sql, type Selectable } from 'kysely'
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

/** The newest attempt that a request allowed; `not_started` when there is none. */
export async function newestExecution(db: Db | Tx, requestId: string): Promise<ExecutionRecord> {
  const row = await db
    .selectFrom('request')
    .innerJoin('execution', 'execution.call_id', 'request.call_id')
    .selectAll('execution')
    .where('request.id', '=', requestId)
    .where(isAttemptOfRequest)
    .orderBy('execution.attempt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? { state: 'not_started' } : executionRecord(row)
}

/** An execution row as it is shown. */
export function executionRecord(row: Selectable<ExecutionTable>): ExecutionRecord {
  return {
    state: row.state,
    attempt: row.attempt,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.exit_code === null ? {} : { exitCode: row.exit_code }),
    ...(row.executed_digest === null ? {} : { executedDigest: row.executed_digest }),
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at }),
  }
}
