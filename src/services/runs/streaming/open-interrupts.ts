import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/** A pending request of a run for a front end. */
export interface OpenInterrupt {
  readonly requestId: string
  readonly number: number
  readonly kind: string
  readonly queue: string
  readonly expiresAt: Date
  /** the model's id of the call; `null`: there is no call */
  readonly toolCallId: string | null
}

/** The pending requests of a run that only waits for people; otherwise none. */
export async function readOpenInterrupts(db: Db, runId: string): Promise<readonly OpenInterrupt[]> {
  const { rows } = await sql<OpenInterrupt>`
    select request.id as "requestId", request.number::int as number, request.kind, request.queue,
      request.expires_at as "expiresAt", tool_call.tool_call_id as "toolCallId"
    from run
    join request on request.run_id = run.id and request.state = 'pending'
    left join tool_call on tool_call.id = request.call_id
    where run.id = ${runId} and run.state = 'waiting_for_approval'
    order by request.number limit 100
  `.execute(db)
  return rows
}
