import type { UpdateObject, UpdateQueryBuilder, UpdateResult } from 'kysely'
import type { ModelUsage } from '#models/model.ts'
import type { TurnAttemptRef } from '#store/content/live-text.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Database } from '#store/tables/schema.ts'

export function updateTurnAttempt(
  db: Db | Tx,
  { runId, turn, attempt }: TurnAttemptRef,
  columns: UpdateObject<Database, 'turn_attempt'>,
): UpdateQueryBuilder<Database, 'turn_attempt', 'turn_attempt', UpdateResult> {
  return db
    .updateTable('turn_attempt')
    .set(columns)
    .where('run_id', '=', runId)
    .where('turn', '=', turn)
    .where('attempt', '=', attempt)
}

/** What an answer of the model used, as columns of its attempt. */
export function usageColumns({ inputTokens, outputTokens, cachedInputTokens = 0 }: ModelUsage) {
  return {
    input_tokens: String(Math.round(inputTokens)),
    output_tokens: String(Math.round(outputTokens)),
    cached_input_tokens: String(Math.round(cachedInputTokens)),
  }
}
