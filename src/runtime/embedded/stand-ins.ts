import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, sep, basename } from 'node:path'
import { z } from 'zod'
import { readJsonRecord } from '../files.ts'
import { identifyProcess } from '../processes/process-identity.ts'
import { createHash } from 'node:crypto'
import type { SystemUser } from './postgres-user.ts'

/**
 * How long a stand-in is kept after its last start if its folder is missing, since the folder may
 * only have been moved.
 */
const retentionMs = 30 * 24 * 60 * 60 * 1_000
const markSuffix = '.stands-for'

const mark = z.object({ folder: z.string(), device: z.number() })

/**
 * Writes the path of the replaced folder next to its stand-in at every start, so that a later start
 * can match them.
 */
export async function markStandIn(standIn: string, folder: string): Promise<void> {
  const { dev: device } = await stat(dirname(folder))
  const file = `${standIn}${markSuffix}`
  await writeFile(file, JSON.stringify({ folder, device }), { mode: 0o600 })
  const now = new Date()
  await utimes(file, now, now)
}

/**
 * Removes the stand-ins of deleted folders: at once for temporary folders, after thirty days for
 * others. One whose disk is not mounted is kept, and so is one without a mark. Returns the folders
 * that no longer existed.
 */
export async function removeUnusedStandIns(root: string): Promise<string[]> {
  const removed: string[] = []
  for (const name of await readdir(root).catch(() => [])) {
    if (!name.endsWith(markSuffix)) continue
    const file = join(root, name)
    const entry = await readJsonRecord(file, mark)
    const standIn = file.slice(0, -markSuffix.length)
    if (entry === null || !(await isAbandoned(file, entry)) || (await isServed(standIn))) continue
    await rm(standIn, { recursive: true, force: true })
    await rm(file, { force: true })
    removed.push(entry.folder)
  }
  return removed
}

/** A Postgres uses it, or another program has its process id, and the next start tries again. */
async function isServed(standIn: string): Promise<boolean> {
  const text = await readFile(join(standIn, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return Number.isSafeInteger(pid) && identifyProcess(pid) !== null
}

/** Whether the data folder around it no longer exists, on a mounted disk. */
async function isAbandoned(
  file: string,
  { folder, device }: z.infer<typeof mark>,
): Promise<boolean> {
  const around = dirname(folder)
  if ((await stat(around).catch(() => null)) !== null) return false
  let above = dirname(around)
  let entry = await stat(above).catch(() => null)
  while (entry === null && above !== dirname(above)) {
    above = dirname(above)
    entry = await stat(above).catch(() => null)
  }
  if (entry?.dev !== device) return false
  if (folder.startsWith(tmpdir() + sep)) return true
  const { mtimeMs } = await stat(file)
  return Date.now() - mtimeMs > retentionMs
}

/** The folder for files that an unprivileged Postgres cannot reach at the requested place. */
export const reachableRoot = '/var/lib/countersign'

/** Whether a user has access to `folder`: to every folder above it, and to itself. */
export async function canReach(folder: string, user: SystemUser): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const entry = await stat(at).catch(() => null)
    if (entry !== null) {
      const bit = entry.uid === user.uid ? 0o100 : entry.gid === user.gid ? 0o010 : 0o001
      if ((entry.mode & bit) === 0) return false
    }
    if (at === dirname(at)) return true
  }
}

/** The stand-in for an unreachable folder: always the same one for the same folder. */
export function reachableStandIn(folder: string): string {
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  return join(reachableRoot, `${basename(folder)}-${key}`)
}
