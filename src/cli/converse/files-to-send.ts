import { constants } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { errorMessage } from '#domain/error-message.ts'
import { limits } from '#domain/limits.ts'
import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { pictureTypeOf } from '#domain/tools/picture-type.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const maxBytes = limits.filesOfMessageBytes
const noFile = 'it is no regular file: write what you mean to send into a file, and name that file'

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
    throw new CommandFailure(`${path}: ${errorMessage(error)}`, exitCodes.usage)
  })
  const mediaType = pictureTypeOf(bytes) ?? 'text/plain'
  return { name: basename(path), mediaType, data: bytes.toString('base64') }
}

/** The real path of an open file. Only Linux reports it; elsewhere it is looked up by the name. */
function pathOf({ fd }: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux' ? readlink(`/proc/self/fd/${fd}`) : realpath(path)
}

/** The path of a file relative to the working folder, by whatever links it is named; or `null`. */
async function pathInFolder(path: string): Promise<string | null> {
  const absolute = resolve(path)
  let inside: string | null = null
  for (let at = dirname(absolute); ; at = dirname(at)) {
    // The outermost counts: an agent can make a link within the folder that leads back to it.
    if ((await realpath(at).catch(() => null)) === process.cwd()) inside = relative(at, absolute)
    if (dirname(at) === at) return inside
  }
}

/**
 * Opens the file once and reads what was opened. An agent that works in the same folder may at any
 * time put a link to a secret, or a pipe that nobody writes, in the place of the file or of a
 * folder on the way to it.
 */
async function readBounded(path: string): Promise<Buffer> {
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(async (error) => {
    const target = await readlink(path).catch(() => null)
    if (target === null) throw error
    const isFile = await stat(path).then(
      (one) => one.isFile(),
      () => true,
    )
    if (!isFile) throw new Error(noFile)
    throw new Error(`it is a link to ${target}: name that file, if you mean to send it`)
  })
  if (!(await file.stat()).isFile()) throw new Error(noFile)
  const realPath = await pathOf(file, path)
  const inside = await pathInFolder(path)
  if (inside !== null && realPath !== join(process.cwd(), inside)) {
    if (realPath.endsWith(' (deleted)') && (await file.stat()).nlink === 0) {
      throw new Error('it was replaced just now: try again')
    }
    throw new Error(`it is ${realPath}, behind a link: name that file, if you mean to send it`)
  }
  const bytes = Buffer.alloc(maxBytes + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length)
    length += bytesRead
    if (length > maxBytes) throw new Error(`a file has at most ${binarySize(maxBytes)}`)
    if (bytesRead === 0) return bytes.subarray(0, length)
  }
}
