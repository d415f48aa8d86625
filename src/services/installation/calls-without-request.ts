import type { Db } from '#store/database.ts'

/** A call with effects without a request and, as far as Postgres knows, without an attempt. */
export interface CallWithoutRequest {
  readonly callId: string
  readonly workflowId: string
}

/** Every such call of runs that have not ended, by run. */
export async function readCallsWithoutRequest(db: Db): Promise<CallWithoutRequest[]> {
  return db
    .selectFrom('tool_call')
    .innerJoin('run', 'run.id', 'tool_call.run_id')
    .select(['tool_call.id as callId', 'run.workflow_id as workflowId'])
    .where('run.ended_at', 'is', null)
    .where('tool_call.result_type', 'is', null)
    .where('tool_call.request_id', 'is', null)
    .where('tool_call.read_only', '=', false)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('execution')
            .select('execution.call_id')
            .whereRef('execution.call_id', '=', 'tool_call.id'),
        ),
      ),
    )
    .orderBy('run.workflow_id')
    .orderBy('tool_call.id')
    .execute()
}
