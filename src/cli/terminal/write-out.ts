import { lstat, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { writeWhole } from '#runtime/files.ts'
import { CommandFailure, exitCodes } from './exit-codes.ts'

/**
 * Writes the file of `--out` whole. A link there is replaced and not followed, because an agent of
 * this folder could have made it lead to another file; a file there keeps its mode. Throws
 * `CommandFailure` for a folder, a device and a pipe.
 */
export async function writeOut(file: string, bytes: Uint8Array): Promise<void> {
  const entry = await lstat(file).catch(() => null)
  const end = await stat(file).catch(() => null)
  if (end?.isDirectory() === true) {
    throw new CommandFailure(`${file} is a folder: name a file with --out`, exitCodes.usage)
  }
  // `/dev/stdout` is a link that must not be replaced.
  const isShared = entry?.isSymbolicLink() === true && dirname(resolve(file)) === '/dev'
  if (isShared || end?.isFile() === false) {
    throw new CommandFailure(`${file} is not a file: without --out it is printed`, exitCodes.usage)
  }
  await writeWhole(file, bytes, entry?.isFile() === true ? entry.mode & 0o777 : 0o666)
}
