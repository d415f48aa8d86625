import { sql, type RawBuilder } from 'kysely'
import type { Json } from '../../../domain/json.ts'
import type { CallResultType } from '../../../domain/request.ts'
import { putContents } from '../../../store/content.ts'
import type { Tx } from '../../../store/database.ts'

/** What a call came to. `text` is what the model is told; `output` what the tool returned, when one ran. */
export interface CallResult {
  readonly type: CallResultType
  readonly text: string
  readonly output?: Json
}

/**
 * Stores a call's result, once: the first one stays. Returns whether this one was stored. What it printed so far goes.
 * The caller holds the run's lock and records the event that led here. `also` is done in the same statement.
 */
export async function storeResult(
  tx: Tx,
  callId: string,
  result: CallResult,
  also: RawBuilder<unknown> = sql`select`,
): Promise<boolean> {
  const output = result.output === undefined ? [] : [JSON.stringify(result.output)]
  const [textHash, outputHash = null] = await putContents(tx, [result.text, ...output])
  const updated = await sql`
    with also as (${also}), shown_so_far as (delete from live_output where call_id = ${callId})
    update tool_call set result_type = ${result.type}, result_text_hash = ${textHash},
      result_output_hash = ${outputHash}, finished_at = clock_timestamp()
    where id = ${callId} and result_type is null
  `.execute(tx)
  return (updated.numAffectedRows ?? 0n) > 0n
}
