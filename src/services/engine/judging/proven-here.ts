import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { hostProofId } from '#domain/requests/host-proof.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { ProvenFolder } from '../../core/host-queries.ts'

/**
 * Whether a program proved to the API that it works in a workspace of this host: this host has the
 * key of the proof, and the folder is the workspace or lies in it (product.md 46).
 */
export async function isProvenHere(
  ctx: Pick<ServiceContext, 'hostProof'>,
  proven: ProvenFolder,
  root: string,
): Promise<boolean> {
  const key = await ctx.hostProof()
  if (key === null || hostProofId(key) !== proven.keyId) return false
  return isRealFolderIn(proven.folder, root)
}

/** Whether a path is the real one of `root` or of a folder in it: links can be changed. */
export async function isRealFolderIn(folder: string, root: string): Promise<boolean> {
  if (!isAbsolute(folder)) return false
  const [real, realRoot] = await Promise.all([realPathOf(folder), realPathOf(root)])
  if (real === null || realRoot === null || real !== folder) return false
  const path = relative(realRoot, real)
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

async function realPathOf(path: string): Promise<string | null> {
  return realpath(path).catch(() => null)
}
