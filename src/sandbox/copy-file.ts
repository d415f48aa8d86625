import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import type { CopiedFile } from '#domain/tools/workspace.ts'
import { pathLabel, WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { identityOf } from './hidden-paths.ts'

const chunkBytes = 1024 * 1024

/**
 * Copies an open file to a new path, and hashes the copied bytes: the copy has exactly the bytes of
 * the hash, whatever happens to the file meanwhile. Throws `too_large`, and then leaves nothing.
 */
export async function copyFile(
  from: FileHandle,
  to: string,
  { at, maxBytes }: { readonly at: string; readonly maxBytes: number },
): Promise<CopiedFile> {
  const state = await from.stat({ bigint: true })
  const tooLarge = (): WorkspaceProblem =>
    new WorkspaceProblem('too_large', at, `${pathLabel(at)} has more than ${maxBytes} bytes.`)
  if (state.size > maxBytes) throw tooLarge()
  await using target = await open(to, 'wx', 0o600)
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Number(state.size) + 1))
  let bytes = 0
  for (;;) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, bytes)
    if (bytesRead === 0) break
    bytes += bytesRead
    if (bytes > maxBytes) throw tooLarge()
    const chunk = buffer.subarray(0, bytesRead)
    hash.update(chunk)
    await target.writeFile(chunk)
  }
  const mode = Number(state.mode) & 0o777
  return { bytes, hash: `sha256:${hash.digest('hex')}`, mode, identity: identityOf(state) }
}
