import { sql } from 'kysely'
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
 * Stores a call's result, once: the first one stays. Returns whether this one was stored.
 * The caller holds the run's lock and records the event that led here.
 */
export async function storeResult(tx: Tx, callId: string, result: CallResult): Promise<boolean> {
  const output = result.output === undefined ? [] : [JSON.stringify(result.output)]
  const [textHash, outputHash = null] = await putContents(tx, [result.text, ...output])
  const updated = await tx
    .updateTable('tool_call')
    .set({
      result_type: result.type,
      result_text_hash: textHash,
      result_output_hash: outputHash,
      finished_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', callId)
    .where('result_type', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}
