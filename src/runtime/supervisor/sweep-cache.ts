import { lstat, readFile, readdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const dayMs = 24 * 3_600_000
/** A file system records at least once a day that a file was read, or only that it was written. */
const unusedMs = 7 * dayMs
/** The time of the last sweep, which takes seconds where there are many checkouts. */
const sweepFile = 'last-sweep'

/** A bundle of workflows; each content of their sources has its own. */
const bundle = /^workflows-[0-9a-f]+\.js$/

/**
 * Removes cached files that nobody used for a week and that are made again when they are needed:
 * compiled sources, one for each path of a file, of which each bundle of the service has its own,
 * and bundles of workflows. Returns how many files it removed. Skips files that another process
 * removes meanwhile, or that may not be removed. Does nothing within a day of the last sweep.
 */
export async function sweepCache(cache: string, now: Date): Promise<number> {
  const compiled = join(cache, 'compiled')
  if (await isRecent(join(compiled, sweepFile), now)) return 0
  await writeFile(join(compiled, sweepFile), now.toISOString()).catch(() => undefined)
  let removed = 0
  for (const name of await namesIn(cache)) {
    if (bundle.test(name)) removed += await removeUnused(join(cache, name), now)
  }
  for (const version of await namesIn(compiled)) {
    for (const name of await namesIn(join(compiled, version))) {
      removed += await removeUnused(join(compiled, version, name), now)
    }
  }
  return removed
}

async function isRecent(file: string, now: Date): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return now.getTime() - Date.parse(text) < dayMs
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

async function removeUnused(path: string, now: Date): Promise<0 | 1> {
  try {
    const { atimeMs, mtimeMs } = await lstat(path)
    if (now.getTime() - Math.max(atimeMs, mtimeMs) < unusedMs) return 0
    await unlink(path)
    return 1
  } catch {
    return 0
  }
}
