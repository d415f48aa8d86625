import { errorCode } from '#domain/error-code.ts'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { binarySize } from '#domain/text/quantities/binary-size.ts'
import type { FileState } from '#domain/tools/workspace.ts'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { asWorkspaceProblem } from './file-problem.ts'
import type { Directory } from './open-directory.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants
const chunkBytes = 1024 * 1024
/** A larger file has no hash, because reading it would take minutes. */
export const maxHashedBytes = 8 * 1024 ** 3

/** The kind of entry at a name, without following or opening it. */
export async function stateOf(
  directory: Pick<Directory, 'child'>,
  name: string,
  at: string,
): Promise<FileState> {
  try {
    const state = await lstat(directory.child(name))
    if (state.isFile()) return { kind: 'file', bytes: state.size }
    if (state.isDirectory()) return { kind: 'directory', bytes: 0 }
    return { kind: state.isSymbolicLink() ? 'symlink' : 'other', bytes: 0 }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'absent', bytes: 0 }
    throw asWorkspaceProblem(error, at)
  }
}

/**
 * Opens a regular file for reading. The name is checked first because opening a device can have
 * effects, and again through the descriptor because it may have been replaced; O_NONBLOCK prevents
 * blocking on a FIFO.
 */
export async function openFile(
  directory: Pick<Directory, 'child'>,
  name: string,
  at: string,
): Promise<FileHandle> {
  const state = await stateOf(directory, name, at)
  if (state.kind !== 'file') throw notAFile(state, at)
  const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
  const handle = await open(directory.child(name), flags).catch((error: unknown) => {
    throw asWorkspaceProblem(error, at)
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw notAFile({ kind: 'other', bytes: 0 }, at)
}

/**
 * Hash (`sha256:…`) of all bytes of an open file, read in pieces. Throws `too_large` beyond
 * `maxHashedBytes`, and the reason of `signal` once that is aborted.
 */
export async function hashFile(
  handle: FileHandle,
  at: string,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(chunkBytes)
  const { size } = await handle.stat()
  for (let position = 0; ;) {
    signal?.throwIfAborted()
    // A file may grow while it is read.
    if (Math.max(size, position) > maxHashedBytes) throw tooLargeToHash(at)
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position)
    if (bytesRead === 0) return `sha256:${hash.digest('hex')}`
    hash.update(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
}

/** At most `maxBytes` bytes from `start`; fewer only at the end of the file. */
export async function readBytes(
  handle: FileHandle,
  start: number,
  maxBytes: number,
): Promise<Buffer> {
  const size = Math.max(0, (await handle.stat()).size - start)
  const buffer = Buffer.alloc(Math.min(maxBytes, size))
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

function tooLargeToHash(at: string): WorkspaceProblem {
  const sentence = `has more than ${binarySize(maxHashedBytes)}, and is too large to be compared`
  return new WorkspaceProblem('too_large', at, `${pathLabel(at)} ${sentence}.`)
}

/** The refusal of a name that is not a regular file. */
function notAFile(state: FileState, at: string): WorkspaceProblem {
  const [code, sentence] = refusals[state.kind]
  return new WorkspaceProblem(code, at, `${pathLabel(at)} ${sentence}.`)
}

const refusals = {
  absent: ['not_found', 'does not exist'],
  symlink: ['is_a_link', 'is a symbolic link; links are not followed'],
  directory: ['not_a_file', 'is a folder'],
  file: ['not_a_file', 'is not a regular file'],
  other: ['not_a_file', 'is not a regular file'],
  unknown: ['io', 'is a file of another program, which is not read'],
} as const
