import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SystemUser } from './postgres-user.ts'

/** Where files go that an unprivileged Postgres must reach and cannot where they were asked for. */
export const REACHABLE_ROOT = '/var/lib/countersign'

/** Whether that user may walk into `folder`: every folder above it, and itself, lets them through. */
export async function canReach(folder: string, user: SystemUser): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(at).catch(() => null)
    if (found !== null) {
      const bit = found.uid === user.uid ? 0o100 : found.gid === user.gid ? 0o010 : 0o001
      if ((found.mode & bit) === 0) return false
    }
    if (at === dirname(at)) return true
  }
}

/** The stand-in for a folder that cannot be reached: always the same one for the same folder. */
export function reachableStandIn(folder: string): string {
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  return join(REACHABLE_ROOT, `${basename(folder)}-${key}`)
}
