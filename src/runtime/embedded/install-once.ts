import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { whileHolding } from '../processes/hold-file.ts'
import { exists } from '../files.ts'

/** Longer than the slowest build. */
const waitMs = 30 * 60_000

/**
 * The program at `target`, made by `make` if it does not exist yet. `make` writes to a temporary
 * path; the file is made executable and renamed, so that nobody sees an incomplete one. If another
 * start on this host is making it, this one waits. Starts of several hosts, which may share the
 * folder, each make their own, since a lock is of one host. `stop` ends the wait: then it rejects.
 */
export async function installOnce(
  target: string,
  make: (path: string) => Promise<void>,
  log: (sentence: string) => void,
  stop?: AbortSignal,
): Promise<string> {
  await sweepAbandoned(target)
  if (await exists(target)) return target
  await mkdir(dirname(target), { recursive: true })
  const onWait = () => log(`another start is preparing ${target}: waiting for it`)
  const lock = { file: `${target}.lock`, waitMs, onWait, ...(stop === undefined ? {} : { stop }) }
  await whileHolding(lock, async () => {
    if (await exists(target)) return
    const folder = `${target}.new-${randomBytes(4).toString('hex')}`
    try {
      await mkdir(folder)
      const half = join(folder, 'program')
      await make(half)
      await chmod(half, 0o755)
      await rename(half, target)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
  return target
}

/** Removes what killed starts left. A start of another host may use what is younger. */
async function sweepAbandoned(target: string): Promise<void> {
  const [parent, prefix] = [dirname(target), `${basename(target)}.new-`]
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(prefix)) continue
    const at = join(parent, name)
    const state = await stat(at).catch(() => null)
    if (state === null || Date.now() - state.mtimeMs < waitMs) continue
    await rm(at, { recursive: true, force: true }).catch(() => undefined)
  }
}
