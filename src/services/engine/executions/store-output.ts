import { isPictureType, pictureTypeOf } from '#domain/tools/picture-type.ts'
import type { ResultFile, ToolResult } from '#domain/tools/tool-result.ts'
import { putContent, putContents } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import type { StoredFile } from '../../transcript/store-result.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'

const wellFormedType = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/

/**
 * Stores the bytes of a result's files. Only bytes decide whether a file is a picture: a page or an
 * SVG with a picture's media type is stored as plain bytes, which are never displayed.
 */
export async function storeFiles(
  db: Db,
  files: readonly ResultFile[] = [],
): Promise<readonly StoredFile[]> {
  const storedFiles: StoredFile[] = []
  for (const { mediaType, bytes } of files) {
    storedFiles.push({
      hash: await putContent(db, bytes),
      mediaType: provenType(mediaType, bytes),
      bytes: bytes.length,
    })
  }
  return storedFiles
}

function provenType(mediaType: string, bytes: Uint8Array): string {
  const type = mediaType.toLowerCase()
  if (type === pictureTypeOf(bytes)) return type
  return wellFormedType.test(type) && !isPictureType(type) ? type : 'application/octet-stream'
}

/**
 * Stores the complete streams of a call's tool, and returns its output with `full`: `{hash, bytes}`
 * by the stream's name. An output without such streams is returned unchanged.
 */
export async function storeStreams(
  db: Db,
  callId: string,
  { output, streams }: ToolResult,
): Promise<Json> {
  if (streams === undefined || typeof output !== 'object' || output === null) return output
  const entries = Object.entries(streams)
  if (entries.length === 0) return output
  return db.transaction().execute(async (tx) => {
    const hashes = await putContents(
      tx,
      entries.map(([, bytes]) => bytes),
    )
    await tx
      .insertInto('kept_stream')
      .values([...new Set(hashes)].map((hash) => ({ call_id: callId, hash })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const full: Record<string, JsonObject> = {}
    for (const [index, [name, bytes]] of entries.entries()) {
      full[name] = { hash: hashes[index] ?? '', bytes: bytes.length }
    }
    return { ...output, full }
  })
}
