import { randomBytes } from 'node:crypto'
import { link, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  identifyProcess,
  isStillRunning,
  readIdentityFile,
  writeIdentityFile,
} from './process-identity.ts'

const pollMs = 20
const waitMs = 30_000

/**
 * Runs work while this process holds a file: no other process, and no other work of this one, does.
 * A file that a dead process left is taken over. Rejects when others hold it for too long.
 */
export async function whileHolding<T>(file: string, work: () => Promise<T>): Promise<T> {
  const own = `${file}.${randomBytes(4).toString('hex')}`
  const identity = identifyProcess(process.pid)
  if (identity === null) throw new Error('this system does not say when a process started')
  try {
    await writeIdentityFile(own, identity)
    await take(own, file)
    try {
      return await work()
    } finally {
      await rm(file, { force: true })
    }
  } finally {
    await rm(own, { force: true })
  }
}

async function take(own: string, file: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
    // Creating a link is atomic: of several, one succeeds.
    const isTaken = await link(own, file).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
        return false
      },
    )
    if (isTaken) return
    const other = await readIdentityFile(file)
    if (other !== null && !isStillRunning(other)) await removeAbandoned(own, file)
    else await sleep(pollMs)
  }
  throw new Error(`another process has held ${file} for ${waitMs / 1000} seconds`)
}

/** Another waiter may have taken the file over meanwhile: then its file is put back. */
async function removeAbandoned(own: string, file: string): Promise<void> {
  const aside = `${own}.aside`
  await rename(file, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  const holder = await readIdentityFile(aside)
  if (holder !== null && isStillRunning(holder)) await link(aside, file).catch(() => undefined)
  await rm(aside, { force: true })
}
