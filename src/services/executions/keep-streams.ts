import type { Json, JsonObject } from '../../domain/json.ts'
import type { ToolResult } from '../../domain/tool.ts'
import { putContent } from '../../store/content.ts'
import type { Db } from '../../store/database.ts'

/**
 * Stores what a tool wrote whole, and returns its output with the place of each stream as `full`: `{hash, bytes}` by the
 * stream's name. An output without such streams is returned as it is.
 */
export async function keepStreams(db: Db, { output, streams }: ToolResult): Promise<Json> {
  if (streams === undefined || typeof output !== 'object' || output === null) return output
  const full: Record<string, JsonObject> = {}
  for (const [name, bytes] of Object.entries(streams)) {
    full[name] = { hash: await putContent(db, bytes), bytes: bytes.length }
  }
  return Object.keys(full).length === 0 ? output : { ...output, full }
}
