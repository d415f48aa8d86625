import { link, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  readIdentityFile,
  removeIdentityFile,
  writeIdentityFile,
  identifyProcess,
  isStillRunning,
} from '#runtime/processes/process-identity.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'

const heldName = /^held-(\d+)\.json$/

/** The folder is this process's alone until it is disposed of, or the process ends. */
export interface HeldFolder extends AsyncDisposable {
  /**
   * Rejects when another process holds the folder by now: one on another machine that cannot see
   * this one.
   */
  check(): Promise<void>
}

/**
 * Holds a witness's folder: two at once could cosign two histories. Rejects with a sentence while
 * another process does. A file for each holder, counted up: the highest holds while its process
 * runs. Nothing makes the same number again, so that whoever takes over from a dead holder cannot
 * take it from a living one.
 */
export async function holdFolder(folder: string): Promise<HeldFolder> {
  const me = identifyProcess(process.pid)
  if (me === null) throw new CommandFailure('This system does not report when a process started')
  const fileOf = (number: number): string => join(folder, `held-${number}.json`)
  const half = join(folder, `held.${process.pid}.new`)
  await writeIdentityFile(half, me)
  try {
    for (;;) {
      const highest = await highestHolder(folder)
      const other = highest === 0 ? null : await readIdentityFile(fileOf(highest))
      if (other !== null && isStillRunning(other)) {
        throw new CommandFailure(`Process ${other.pid} is the witness of ${folder}: stop it first`)
      }
      const own = highest + 1
      if (!(await linkFile(half, fileOf(own)))) continue
      // Whoever looked long ago may have made a number that others were past already.
      if ((await highestHolder(folder)) !== own) {
        await rm(fileOf(own), { force: true })
        continue
      }
      await forgetBelow(folder, own)
      return {
        check: () => checkHeld(folder, own),
        // The file stays, and names nobody: see above.
        [Symbol.asyncDispose]: () => writeIdentityFile(fileOf(own), { pid: 0, startedAt: '' }),
      }
    }
  } finally {
    await removeIdentityFile(half)
  }
}

async function checkHeld(folder: string, own: number): Promise<void> {
  if ((await highestHolder(folder)) === own) return
  throw new CommandFailure(`Another process took ${folder} over: this one cosigns nothing more`)
}

async function highestHolder(folder: string): Promise<number> {
  const names = await readdir(folder)
  return Math.max(0, ...names.map((name) => Number(heldName.exec(name)?.[1] ?? 0)))
}

async function forgetBelow(folder: string, own: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const number = Number(heldName.exec(name)?.[1] ?? own)
    if (number < own) await rm(join(folder, name), { force: true })
  }
}

async function linkFile(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}
