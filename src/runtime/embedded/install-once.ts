import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { identifyProcess, isStillRunning } from '../processes/process-identity.ts'
import type { ProcessIdentity } from '../processes/process-identity.ts'
import { waitUntil } from '../processes/wait-until.ts'
import { exists } from '../files.ts'

/** Longer than the slowest build: a process that waited this long builds for itself. */
const lockTimeoutMs = 30 * 60_000

/**
 * The program at `target`, made by `make` if it does not exist yet. `make` writes to a temporary
 * path; the file is made executable and renamed, so that nobody sees an incomplete one. If another
 * start is making it, this one waits.
 */
export async function installOnce(
  target: string,
  make: (path: string) => Promise<void>,
  log: (sentence: string) => void,
): Promise<string> {
  await mkdir(dirname(target), { recursive: true })
  const lock = `${target}.lock`
  let isReported = false
  const turn = await waitUntil(
    async () => {
      if (await exists(target)) return 'there'
      if (await takeLock(lock)) return 'mine'
      if (!isReported) log(`another start is preparing ${target}: waiting for it`)
      isReported = true
      return null
    },
    { timeoutMs: lockTimeoutMs, everyMs: 500 },
  )
  if (turn === 'there') return target
  const folder = join(dirname(target), `.new-${randomBytes(4).toString('hex')}`)
  try {
    await mkdir(folder)
    const half = join(folder, 'program')
    await make(half)
    await chmod(half, 0o755)
    await rename(half, target)
    return target
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(lock, { force: true })
  }
}

/** A lock counts only while the process that wrote it runs. */
async function takeLock(lock: string): Promise<boolean> {
  const own = JSON.stringify(identifyProcess(process.pid))
  const isLocked = await writeFile(lock, own, { flag: 'wx' }).then(
    () => true,
    () => false,
  )
  if (isLocked) return true
  const holder = await readFile(lock, 'utf8').catch(() => null)
  if (holder === null || holder === '' || isHeld(holder)) return false
  await rm(lock, { force: true })
  return false
}

function isHeld(text: string): boolean {
  try {
    return isStillRunning(JSON.parse(text) as ProcessIdentity)
  } catch {
    return false
  }
}
