import { isPictureType, pictureTypeOf } from '../../domain/picture-type.ts'
import type { ResultFile } from '../../domain/tool.ts'
import { putContent } from '../../store/content/content.ts'
import type { Db } from '../../store/database.ts'
import type { StoredFile } from '../runs/transcript/store-result.ts'

const wellFormedType = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/

/**
 * Stores the bytes of a result's files. What calls itself a picture is one only if its bytes are that picture's: a page or
 * an SVG under a picture's name is kept as mere bytes, which nobody is shown.
 */
export async function keepFiles(
  db: Db,
  files: readonly ResultFile[] = [],
): Promise<readonly StoredFile[]> {
  const kept: StoredFile[] = []
  for (const { mediaType, bytes } of files) {
    kept.push({
      hash: await putContent(db, bytes),
      mediaType: provenType(mediaType, bytes),
      bytes: bytes.length,
    })
  }
  return kept
}

function provenType(claimed: string, bytes: Uint8Array): string {
  const type = claimed.toLowerCase()
  if (type === pictureTypeOf(bytes)) return type
  return wellFormedType.test(type) && !isPictureType(type) ? type : 'application/octet-stream'
}
