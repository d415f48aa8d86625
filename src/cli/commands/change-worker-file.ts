import { lstat, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PolicyChangeView } from '#api/schemas/policy/changes.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { writeOut } from '../terminal/write-out.ts'

/**
 * Changes a worker file of a project folder as a proposal says. Rejects with `CommandFailure` if
 * the lines of the file differ from the version in force, or if it or its folder is a link: an
 * agent could have made it lead to another file.
 */
export async function changeWorkerFile(
  folder: string,
  { file, patch }: Pick<PolicyChangeView, 'file' | 'patch'>,
): Promise<void> {
  if (!/^workers\/[^/\\]+\.md$/.test(file)) throw new CommandFailure(`${file} is no worker file.`)
  for (const at of [dirname(file), file]) {
    const entry = await lstat(join(folder, at)).catch(() => null)
    if (entry?.isSymbolicLink() === true) {
      throw new CommandFailure(`${at} is a link: change the file to which it leads by hand.`)
    }
  }
  const { applyPatch } = await import('diff')
  const text = await readFile(join(folder, file), 'utf8').catch(() => null)
  const changed = text === null ? false : applyPatch(text, patch)
  if (changed === false) {
    throw new CommandFailure(
      `${file} of this folder is missing or differs from the version in force where the change is; nothing was changed.`,
    )
  }
  await writeOut(join(folder, file), Buffer.from(changed))
}
