import type { ResultFile } from '#api/schemas/runs/transcript.ts'
import { sql, type RawBuilder } from 'kysely'
import type { Json } from '#domain/json/json.ts'
import type { CallResultType } from '#domain/requests/request.ts'
import { together } from '#store/connection/side-by-side.ts'
import { packContents, storeContents } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'

/** Stored bytes of a result besides its text. `mediaType` is a picture's only if the bytes are. */
export type StoredFile = Readonly<ResultFile>

/** The result of a call. `text` is for the model; `output` is what the tool returned, if it ran. */
export interface CallResult {
  readonly type: CallResultType
  readonly text: string
  readonly output?: Json
  readonly files?: readonly StoredFile[]
}

/**
 * Stores a call's result, once: the first one stays. Returns whether this one was stored. Its live
 * output is deleted. The caller holds the run's lock and records the event. `also`: changes in the
 * same statement.
 */
export async function storeResult(
  tx: Tx,
  callId: string,
  result: CallResult,
  also: readonly RawBuilder<unknown>[] = [],
): Promise<boolean> {
  const output = result.output === undefined ? [] : [JSON.stringify(result.output)]
  const packed = packContents([result.text, ...output])
  const [textHash, outputHash = null] = packed.hashes
  const others = also.map((change, at) => sql`, ${sql.raw(`also_${at}`)} as (${change})`)
  const [, updated] = await together([
    storeContents(tx, [packed]),
    sql`
      with shown_so_far as (delete from live_output where call_id = ${callId})
        ${sql.join(others, sql``)}
      update tool_call set result_type = ${result.type}, result_text_hash = ${textHash},
        result_output_hash = ${outputHash}, finished_at = clock_timestamp()
      where id = ${callId} and result_type is null
    `.execute(tx),
  ])
  const isStored = (updated.numAffectedRows ?? 0n) > 0n
  if (isStored) await storeFiles(tx, callId, result.files ?? [])
  return isStored
}

async function storeFiles(tx: Tx, callId: string, files: readonly StoredFile[]): Promise<void> {
  if (files.length === 0) return
  const rows = files.map(({ hash, mediaType, bytes }, index) => ({
    call_id: callId,
    position: index + 1,
    hash,
    media_type: mediaType,
    bytes,
  }))
  await tx.insertInto('result_file').values(rows).execute()
}
