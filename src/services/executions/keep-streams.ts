import type { Json, JsonObject } from '../../domain/json.ts'
import type { ToolResult } from '../../domain/tool.ts'
import { putContents } from '../../store/content/content.ts'
import type { Db } from '../../store/database.ts'

/**
 * Stores what a call's tool wrote whole, and returns its output with the place of each stream as `full`: `{hash, bytes}` by
 * the stream's name. An output without such streams is returned as it is.
 */
export async function keepStreams(
  db: Db,
  callId: string,
  { output, streams }: ToolResult,
): Promise<Json> {
  if (streams === undefined || typeof output !== 'object' || output === null) return output
  const written = Object.entries(streams)
  if (written.length === 0) return output
  return db.transaction().execute(async (tx) => {
    const hashes = await putContents(
      tx,
      written.map(([, bytes]) => bytes),
    )
    await tx
      .insertInto('kept_stream')
      .values([...new Set(hashes)].map((hash) => ({ call_id: callId, hash })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const full: Record<string, JsonObject> = {}
    for (const [index, [name, bytes]] of written.entries()) {
      full[name] = { hash: hashes[index] ?? '', bytes: bytes.length }
    }
    return { ...output, full }
  })
}
