import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import type { NamedFileKind } from '#domain/tools/presentation.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { readOpinion } from '#policy/judge/consent/read-opinion.ts'
import { decodeText } from '../../presentations/file-kind.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import type { NamedFile } from '../facts/named-files.ts'

/** The files that a command names, for its approver, and the bytes of those that are stored. */
export interface StoredFiles {
  readonly files: readonly (NamedFile & { readonly kind: NamedFileKind })[]
  readonly bytes: readonly Uint8Array[]
}

/**
 * Reads each file that a command names, so that the approver can read what would run or be read
 * (dashboard.md, request). It stores exactly the bytes with the recorded hash, within `limits`.
 * Files that the worker may not read without approval, including keys, are never copied: not
 * everybody who sees the request may read them.
 */
export async function storeNamedFiles(
  place: CommandPlace,
  workspace: Workspace,
  namedFiles: readonly NamedFile[],
): Promise<StoredFiles> {
  let bytesLeft: number = limits.namedFilesBytes
  const files: StoredFiles['files'][number][] = []
  const bytes: Uint8Array[] = []
  for (const { path, bytes: size, hash } of namedFiles) {
    const file = { path, bytes: size, hash }
    const opinion = readOpinion(place, file.path)
    if (opinion?.approval !== 'preApproved') {
      files.push({ ...file, kind: 'withheld' })
    } else if (file.bytes > Math.min(limits.namedFileBytes, bytesLeft)) {
      files.push({ ...file, kind: 'large' })
    } else {
      const content = await readSame(workspace, file)
      files.push({ ...file, kind: kindOf(content) })
      if (content === null) continue
      bytesLeft -= content.length
      bytes.push(content)
    }
  }
  return { files, bytes }
}

function kindOf(content: Uint8Array | null): NamedFileKind {
  if (content === null) return 'changed'
  return decodeText(content) === null ? 'binary' : 'text'
}

/** The bytes with the hash, or `null` when the file has changed: the call will be stale. */
async function readSame(workspace: Workspace, file: NamedFile): Promise<Uint8Array | null> {
  try {
    const bytes = await workspace.read(file.path, { maxBytes: file.bytes })
    return hashBytes(bytes) === file.hash ? bytes : null
  } catch (error) {
    if (error instanceof WorkspaceProblem) return null
    throw error
  }
}
