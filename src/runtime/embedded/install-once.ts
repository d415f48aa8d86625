import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { whileHolding } from '../processes/hold-file.ts'
import { exists } from '../files.ts'

/** Longer than the slowest build. */
const waitMs = 30 * 60_000

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
  if (await exists(target)) return target
  await mkdir(dirname(target), { recursive: true })
  const onWait = () => log(`another start is preparing ${target}: waiting for it`)
  await whileHolding({ file: `${target}.lock`, waitMs, onWait }, async () => {
    if (await exists(target)) return
    const folder = `${target}.new`
    // Of a start that was killed.
    await rm(folder, { recursive: true, force: true })
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
