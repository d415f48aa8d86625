import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { z } from 'zod'
import { identifyProcess } from '../processes/process-identity.ts'

/** A stand-in whose folder is gone is kept this long after its last start: the folder may only have been moved. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000
const MARK = '.stands-for'

const mark = z.object({ folder: z.string(), device: z.number() })

/** Write beside a stand-in whose place it takes, at every start: a later one knows whom it belongs to. */
export async function markStandIn(standIn: string, folder: string): Promise<void> {
  const { dev: device } = await stat(dirname(folder))
  const file = `${standIn}${MARK}`
  await writeFile(file, JSON.stringify({ folder, device }), { mode: 0o600 })
  const now = new Date()
  await utimes(file, now, now)
}

/**
 * Remove the stand-ins of folders that were deleted: at once for temporary folders, after thirty days for
 * others. One whose disk is not mounted now is kept, and so is whatever has no mark. Answers the folders that were gone.
 */
export async function removeForsakenStandIns(root: string): Promise<string[]> {
  const removed: string[] = []
  for (const name of await readdir(root).catch(() => [])) {
    if (!name.endsWith(MARK)) continue
    const file = join(root, name)
    const found = await readMark(file)
    const standIn = file.slice(0, -MARK.length)
    if (found === null || !(await isForsaken(file, found)) || (await isServed(standIn))) continue
    await rm(standIn, { recursive: true, force: true })
    await rm(file, { force: true })
    removed.push(found.folder)
  }
  return removed
}

async function readMark(file: string): Promise<z.infer<typeof mark> | null> {
  try {
    return mark.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return null
  }
}

/** A Postgres still works on it, or another program has its number by now: the next start looks again. */
async function isServed(standIn: string): Promise<boolean> {
  const text = await readFile(join(standIn, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return Number.isSafeInteger(pid) && identifyProcess(pid) !== null
}

/** The data folder around it is gone, from a disk that is there. */
async function isForsaken(
  file: string,
  { folder, device }: z.infer<typeof mark>,
): Promise<boolean> {
  const around = dirname(folder)
  if ((await stat(around).catch(() => null)) !== null) return false
  let above = dirname(around)
  let found = await stat(above).catch(() => null)
  while (found === null && above !== dirname(above)) {
    above = dirname(above)
    found = await stat(above).catch(() => null)
  }
  if (found?.dev !== device) return false
  if (folder.startsWith(tmpdir() + sep)) return true
  const { mtimeMs } = await stat(file)
  return Date.now() - mtimeMs > KEPT_MS
}
