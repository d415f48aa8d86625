import { type CallTraits, whenMatches } from '#policy/judge/routing/when-matches.ts'
import { decidingZones } from '#policy/globs/zones-of-path.ts'
import { secretName } from '#policy/names/secret-names.ts'
import type { Policy } from '#policy/policy.ts'
import type { When } from '#policy/routing.ts'
import type { WorkerDefinition, Zone } from '#policy/worker-definition.ts'

/** Which paths a call on a folder may also read. */
export type MayRead = (path: string, kind: 'file' | 'directory', from: string) => boolean

/** The rules as plain data, since a search runs in a thread of its own. */
export interface ReadingBounds {
  readonly worker: string
  readonly queue: string | null
  readonly zones: readonly Pick<Zone, 'root' | 'suffixes'>[]
  readonly overlays: readonly When[]
}

/** The bounds of a worker under a policy. */
export function readingBounds(policy: Policy, worker: WorkerDefinition): ReadingBounds {
  return {
    worker: worker.name,
    queue: worker.queue,
    zones: worker.zones.map(({ root, suffixes }) => ({ root, suffixes })),
    overlays: policy.config.overlays.map(({ when }) => when),
  }
}

/**
 * Decides which files a search of a folder may read. It leaves out files that the zones' suffixes
 * exclude, and key and environment files. It also leaves out a file whose reading is blocked, or
 * asks, by an overlay that did not apply to the search itself. (Zones below the folder were judged
 * with the call.) The search enters the folders that are in a zone.
 */
export function mayReadWithin(bounds: ReadingBounds): MayRead {
  return (path, kind, from) => {
    const zones = decidingZones(bounds.zones, path)
    if (zones.length === 0) return false
    if (kind === 'directory') return true
    const isCovered = zones.every(
      ({ suffixes }) => suffixes === null || suffixes.some((suffix) => path.endsWith(suffix)),
    )
    if (!isCovered || secretName(path) !== null) return false
    const read = traits(bounds, 'read_file', path, 'file')
    const search = traits(bounds, 'search_files', from, 'directory')
    return !bounds.overlays.some((when) => whenMatches(when, read) && !whenMatches(when, search))
  }
}

function traits(
  { worker, queue }: ReadingBounds,
  tool: string,
  path: string,
  target: 'file' | 'directory',
): CallTraits {
  const accesses = [{ operation: 'read', path, target } as const]
  return { tool, accesses, worker, queue, risk: 'low', command: null }
}
