import { randomBytes, randomInt } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  identifyProcess,
  isStillRunning,
  parseIdentity,
  type ProcessIdentity,
  writeIdentityFile,
} from './process-identity.ts'

const pollMs = 20
const waitMs = 30_000
const claimForm = /^[0-9a-f]{16}$/

/**
 * Runs work while this process, `holder`, holds the lock of this name: no other process, and no
 * other work of this one, does. Rejects when others hold it for too long.
 *
 * Whoever wants the lock writes a claim, a file beside `file` with a name of its own. Then it looks
 * for the claims of others, and holds the lock if no running process has one. Of two, at least the
 * later to look sees the other. Anybody may remove the claim of a process that has ended, since no
 * later claim has its name. One file for all could not be removed safely: between the look and the
 * removal another process may have replaced it. The system's own locks (`flock`) are not in Node.
 */
export async function whileHolding<T>(
  file: string,
  work: (holder: ProcessIdentity) => Promise<T>,
): Promise<T> {
  const identity = identifyProcess(process.pid)
  if (identity === null) {
    throw new Error('this system does not say when a process started (is /proc mounted?)')
  }
  const own = randomBytes(8).toString('hex')
  const claim = `${file}.${own}`
  try {
    await writeIdentityFile(claim, identity)
    for (const endsAt = performance.now() + waitMs; ;) {
      const others = await readClaims(file, own)
      if (others.length === 0) return await work(identity)
      if (performance.now() > endsAt) break
      if (others.every((other) => own < other)) {
        await sleep(pollMs)
        continue
      }
      // Of several that wait, the first by name stays, so that the others do not keep it waiting.
      await rm(claim, { force: true })
      await sleep(pollMs + randomInt(2 * pollMs))
      await writeIdentityFile(claim, identity)
    }
    throw new Error(`another process has held ${file} for ${waitMs / 1000} seconds`)
  } finally {
    await rm(claim, { force: true })
  }
}

/** The names of the claims of running processes but `own`; removes those of others. */
async function readClaims(file: string, own: string): Promise<string[]> {
  const [folder, prefix] = [dirname(file), `${basename(file)}.`]
  const entries = await readdir(folder)
  const names = entries
    .filter((entry) => entry.startsWith(prefix))
    .map((entry) => entry.slice(prefix.length))
    .filter((name) => name !== own && claimForm.test(name))
  const live: string[] = []
  for (const name of names) {
    const claim = join(folder, `${prefix}${name}`)
    const text = await readFile(claim, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return null
    })
    if (text === null) continue
    const holder = parseIdentity(text)
    if (holder !== null && isStillRunning(holder)) live.push(name)
    else await rm(claim, { force: true })
  }
  return live
}
