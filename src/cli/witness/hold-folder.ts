import { link, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  readRunningProcess,
  removeIdentityFile,
  writeIdentityFile,
  identifyProcess,
} from '#runtime/processes/process-identity.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'

const holderName = /^held-(\d+)\.json$/

/** A folder that only this process uses, until the hold is disposed of or the process ends. */
export interface HeldFolder extends AsyncDisposable {
  /**
   * Rejects if another process has taken the folder. A process on another machine can do that,
   * because it does not see this process.
   */
  check(): Promise<void>
}

/**
 * Holds a witness's folder: two at once could cosign two histories. Rejects with a sentence while
 * another process holds it. Each holder makes a file with the next number, and the highest number
 * holds while its process runs. No number is used twice, so a process that replaces a dead holder
 * cannot replace a living one.
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
      const other = highest === 0 ? null : await readRunningProcess(fileOf(highest))
      if (other !== null) {
        throw new CommandFailure(`Process ${other.pid} is the witness of ${folder}: stop it first`)
      }
      const own = highest + 1
      if (!(await linkFile(half, fileOf(own)))) continue
      // This process may have read the folder long ago, and others may have made higher numbers
      // since.
      if ((await highestHolder(folder)) !== own) {
        await rm(fileOf(own), { force: true })
        continue
      }
      await forgetBelow(folder, own)
      return {
        check: () => requireNewestHolder(folder, own),
        // The file stays without a process in it, so that its number is not used again.
        [Symbol.asyncDispose]: () => writeIdentityFile(fileOf(own), { pid: 0, startedAt: '' }),
      }
    }
  } finally {
    await removeIdentityFile(half)
  }
}

async function requireNewestHolder(folder: string, own: number): Promise<void> {
  if ((await highestHolder(folder)) === own) return
  throw new CommandFailure(`Another process took ${folder} over: this one cosigns nothing more`)
}

async function highestHolder(folder: string): Promise<number> {
  const names = await readdir(folder)
  return Math.max(0, ...names.map((name) => Number(holderName.exec(name)?.[1] ?? 0)))
}

async function forgetBelow(folder: string, own: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const number = Number(holderName.exec(name)?.[1] ?? own)
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
