import type { CommandLimits } from './command-limits.ts'
import { OwnFolders, type OwnFolder } from './own-folders.ts'
import { ZoneGrowth } from './zone-growth.ts'

/** The disk and memory of the host that a command has used besides its processes' own. */
export interface WrittenAmounts {
  /** bytes and files that are new below its writable zones, as far as measured */
  readonly zoneBytes: number
  readonly zoneFiles: number
  /** size of its own folders in memory */
  readonly tmpBytes: number
  readonly tmpFiles: number
  /** why it cannot be measured here: the rest of a sentence */
  readonly problem: string | null
}

export interface DiskUsageWatch {
  now(): WrittenAmounts
  close(): void
}

const lookEveryMs = 100

/**
 * Measures what a command writes where its processes do not count it: many small files, files in
 * memory, and disks that count no writes. `first`: the first process inside.
 */
export function watchWritten(
  zones: readonly string[],
  folders: readonly OwnFolder[],
  limits: CommandLimits,
  first: Promise<number | null>,
): DiskUsageWatch {
  const growth = new ZoneGrowth(zones, limits)
  const ownFolders = new OwnFolders(folders)
  let use = { tmpBytes: 0, tmpFiles: 0 }
  let inside: number | null = null
  void first.then((pid) => (inside = pid))
  let isClosed = false
  let isLooking = false

  const look = async (): Promise<void> => {
    if (inside !== null) await ownFolders.open(inside)
    if (isClosed) await ownFolders.close()
    use = (await ownFolders.use()) ?? use
    await growth.look()
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false
        if (isClosed) void ownFolders.close()
      })
  }, lookEveryMs)
  return {
    now: () => {
      const { bytes: zoneBytes, files: zoneFiles } = growth.totals
      return { zoneBytes, zoneFiles, ...use, problem: ownFolders.problem }
    },
    close() {
      isClosed = true
      clearInterval(timer)
      if (!isLooking) void ownFolders.close()
      growth.close()
    },
  }
}
