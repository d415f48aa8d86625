import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { limits } from '#domain/limits.ts'
import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { pictureTypeOf } from '#domain/tools/picture-type.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'

/**
 * Reads pictures and texts of this computer for a message. The service refuses all other files.
 * Rejects with a `CommandFailure` that names the file if one cannot be read.
 */
export async function filesToSend(paths: readonly string[] = []) {
  const files = await Promise.all(paths.map(readOne))
  return files.length === 0 ? {} : { files }
}

async function readOne(path: string) {
  const bytes = await readBounded(path).catch((error: unknown) => {
    throw new CommandFailure(`${path}: ${(error as Error).message}`, exitCodes.usage)
  })
  const mediaType = pictureTypeOf(bytes) ?? 'text/plain'
  return { name: basename(path), mediaType, data: bytes.toString('base64') }
}

async function readBounded(path: string): Promise<Buffer> {
  const { size } = await stat(path)
  if (size <= limits.filesOfMessageBytes) return readFile(path)
  throw new Error(`a file has at most ${binarySize(limits.filesOfMessageBytes)}`)
}
