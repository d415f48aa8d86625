import { lstat, stat } from 'node:fs/promises'
import path from 'node:path'
import { errorMessage } from '#domain/error-message.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { identityOf } from '../hidden-paths.ts'
import { openDirectory, plainWalk } from '../open-directory.ts'
import { openFile } from '../open-file.ts'
import { quotedName } from '../names/raw-names.ts'
import { readCopy, snapshotLimits, type Snapshot } from './snapshots.ts'

/**
 * Writes a command's changes of its own copy of a file back to the workspace, after the command has
 * ended; the file must still be the one that was copied. Returns `null`, or a sentence about what
 * could not be written: a failure must not hide how the command ended.
 */
export async function writeBack(workspace: Workspace, snapshot: Snapshot): Promise<string | null> {
  const { at, from, hash, mode } = snapshot
  const lossOf = (why: string): string => `what it wrote to ${quotedName(at)} was not kept: ${why}`
  try {
    const { size } = await stat(from)
    if (size > snapshotLimits.fileBytes) return lossOf(`it has ${size} bytes`)
    const now = await readCopy(snapshot)
    if (hashBytes(now.bytes) !== hash) await workspace.write(at, now.bytes, hash)
    if (now.mode !== (mode | 0o600)) await setMode(workspace.root, at, now.mode)
    return null
  } catch (error) {
    // It may have been written: a folder that cannot be flushed is no refusal (`change-file.ts`).
    if (!(error instanceof WorkspaceProblem)) {
      return `what it wrote to ${quotedName(at)} may be lost: ${errorMessage(error)}`
    }
    return lossOf(
      error.code === 'stale' ? 'something else changed it in the meantime' : error.message,
    )
  }
}

/**
 * A sentence when the file at a snapshot's path has been replaced. Replacing a name from outside
 * removes the mounted copy, so that the command may have read the replacement.
 */
export async function replacedMeanwhile(root: string, snapshot: Snapshot): Promise<string | null> {
  const state = await lstat(path.join(root, snapshot.at), { bigint: true }).catch(() => null)
  if (state !== null && identityOf(state) === snapshot.identity) return null
  return `${quotedName(snapshot.at)}, which it runs, was replaced or moved while it ran: it may not have run what was shown`
}

async function setMode(root: string, at: string, mode: number): Promise<void> {
  const components = at.split('/')
  await using folder = await openDirectory(plainWalk(root), components.slice(0, -1), false)
  await using handle = await openFile(folder, components.at(-1) ?? '', at)
  await handle.chmod(mode)
}
