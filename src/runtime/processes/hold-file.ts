import { randomBytes, randomInt } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identifyProcess, isStillRunning, type ProcessIdentity } from './process-identity.ts'

/** Two looks are this far apart at first, and farther the longer somebody waits. */
const pollMs = 20
const maxPollMs = 500

/** A lock of processes on one host. */
export interface HeldFile {
  readonly file: string
  /** others that hold it for longer are an error */
  readonly waitMs: number
  /** called once if others hold it */
  onWait?(): void
  /** ends the wait: then it rejects */
  readonly stop?: AbortSignal
}

/**
 * Runs work while this process, `holder`, holds the lock of this name: no other process, and no
 * other work of this one, does. Rejects when others hold it for too long, or where no file can be
 * created beside it.
 *
 * Whoever wants the lock makes a claim, an empty file beside `file` whose name says who made it, so
 * that it is there as a whole or not at all. Then it looks for the claims of others, and holds the
 * lock if no running process has one. Of two, at least the later to look sees the other. Anybody
 * may remove the claim of a process that has ended, since no later claim has its name. One file for
 * all could not be removed safely: between the look and the removal another process may have
 * replaced it. The system's own locks (`flock`) are not in Node.
 */
export async function whileHolding<T>(
  { file, waitMs, onWait, stop }: HeldFile,
  work: (holder: ProcessIdentity) => Promise<T>,
): Promise<T> {
  const identity = identifyProcess(process.pid)
  if (identity === null) {
    throw new Error('this system does not say when a process started (is /proc mounted?)')
  }
  const own = nameOfClaim(identity)
  const claim = `${file}.${own}`
  const begunMs = performance.now()
  let isReported = false
  try {
    await makeClaim(claim)
    for (;;) {
      const others = await readClaims(file, own)
      if (others.length === 0) return await work(identity)
      const waitedMs = performance.now() - begunMs
      if (waitedMs > waitMs) break
      if (!isReported) onWait?.()
      isReported = true
      const pauseMs = Math.min(pollMs + waitedMs / 20, maxPollMs)
      if (others.every((other) => own < other)) {
        await sleep(pauseMs, undefined, { signal: stop })
        continue
      }
      // Of several that wait, the first by name stays, so that the others do not keep it waiting.
      await rm(claim, { force: true })
      await sleep(pauseMs + randomInt(2 * pollMs), undefined, { signal: stop })
      await makeClaim(claim)
    }
    throw new Error(`another process has held ${file} for ${waitMs / 1000} seconds`)
  } finally {
    await rm(claim, { force: true })
  }
}

async function makeClaim(claim: string): Promise<void> {
  await (await open(claim, 'wx', 0o600)).close()
}

const claimForm = /^[0-9a-f]{16}-(?<pid>\d{1,10})-(?<startedAt>[\w-]{1,200})$/

/** Of this work of the process. */
function nameOfClaim({ pid, startedAt }: ProcessIdentity): string {
  const encoded = Buffer.from(startedAt).toString('base64url')
  return `${randomBytes(8).toString('hex')}-${pid}-${encoded}`
}

function holderOf(claim: string): ProcessIdentity | null {
  const { pid, startedAt } = claimForm.exec(claim)?.groups ?? {}
  if (pid === undefined || startedAt === undefined) return null
  return { pid: Number(pid), startedAt: Buffer.from(startedAt, 'base64url').toString() }
}

/** The names of the claims of running processes but `own`; removes those of others. */
async function readClaims(file: string, own: string): Promise<string[]> {
  const [folder, prefix] = [dirname(file), `${basename(file)}.`]
  const live: string[] = []
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(prefix)) continue
    const name = entry.slice(prefix.length)
    const holder = holderOf(name)
    if (holder === null || name === own) continue
    if (isStillRunning(holder)) live.push(name)
    else await rm(join(folder, entry), { force: true })
  }
  return live
}
