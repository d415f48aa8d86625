import { errorCode } from '#domain/error-code.ts'
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import type { PolicyChangeView } from '#api/schemas/policy/changes.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { openDirectory, plainWalk, type Directory } from '#sandbox/open-directory.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { writeOut } from '../terminal/write-out.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const workersFolder = 'workers'

/**
 * Changes a worker file of a project folder as a proposal says. Rejects with `CommandFailure` if
 * the lines of the file differ from the version in force, or if it or its folder is a link: an
 * agent could have made it lead to another file. Reads and writes in the folder that it opened,
 * which an agent may exchange meanwhile; without `/proc` that is only noticed afterwards.
 */
export async function changeWorkerFile(
  folder: string,
  { file, patch }: Pick<PolicyChangeView, 'file' | 'patch'>,
): Promise<void> {
  const [, name] = /^workers\/([^/\\]+\.md)$/.exec(file) ?? []
  if (name === undefined) throw new CommandFailure(`${file} is no worker file.`)
  await using workers = await openWorkers(folder)
  const text = workers === null ? null : await readUnlinked(workers.child(name), file)
  const { applyPatch } = await import('diff')
  const changed = text === null ? false : applyPatch(text, patch)
  if (workers === null || changed === false) {
    throw new CommandFailure(
      `${file} of this folder is missing or differs from the version in force where the change is; nothing was changed.`,
    )
  }
  await writeOut(workers.child(name), Buffer.from(changed))
  await using present = await openWorkers(folder)
  if (present?.identity !== workers.identity) {
    throw new CommandFailure(
      `The folder ${workersFolder} was replaced while ${file} was changed: look at both.`,
    )
  }
}

/** Opens the folder of worker files; `null`: it is missing. */
async function openWorkers(folder: string): Promise<Directory | null> {
  const root = await realpath(folder).catch(() => null)
  if (root === null) return null
  try {
    return await openDirectory(plainWalk(root), [workersFolder], false)
  } catch (error) {
    if (!(error instanceof WorkspaceProblem)) throw error
    if (error.code === 'is_a_link') throw linkFailure(workersFolder)
    return null
  }
}

/** Reads a file that is no link; `null`: it is missing, or no file. */
async function readUnlinked(path: string, file: string): Promise<string | null> {
  try {
    await using handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    return await handle.readFile('utf8')
  } catch (error) {
    if (errorCode(error) === 'ELOOP') throw linkFailure(file)
    return null
  }
}

function linkFailure(at: string): CommandFailure {
  return new CommandFailure(`${at} is a link: change the file to which it leads by hand.`)
}
