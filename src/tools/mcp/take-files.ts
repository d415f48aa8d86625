import { hashBytes } from '../../domain/digest.ts'
import type { Json, JsonObject } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import type { ResultFile } from '../../domain/tool.ts'

/** What a server's answer comes to once its bytes are taken out of it. */
export interface TakenFiles {
  /** names each file by size and hash, in the place where it was */
  readonly output: Json
  readonly files: readonly ResultFile[]
  /** how many were over the bound, and are not kept */
  readonly leftOut: number
}

/**
 * Takes pictures, sounds and blobs out of a server's answer, which has them in base64. Sizes and hashes are computed here,
 * not believed: the process that held the server may be the server's by now.
 */
export function takeFiles(output: Json): TakenFiles {
  const content = isObject(output) ? output['content'] : undefined
  if (!isObject(output) || !Array.isArray(content)) return { output, files: [], leftOut: 0 }
  const files: ResultFile[] = []
  let leftOut = 0
  const parts = content.map((part): Json => {
    if (!isObject(part) || typeof part['data'] !== 'string') return part
    const { data, ...about } = part
    const bytes = Buffer.from(data, 'base64')
    const named = { ...about, bytes: bytes.length, hash: hashBytes(bytes) }
    if (files.length === limits.filesOfResult) {
      leftOut += 1
      return { ...named, omitted: `At most ${limits.filesOfResult} are kept of one result.` }
    }
    files.push({ mediaType: textOf(about['mediaType']), bytes })
    return named
  })
  return { output: { ...output, content: parts }, files, leftOut }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
