import type { CallTraits } from '../policy/judge/routing/when-matches.ts'
import { whenMatches } from '../policy/judge/routing/when-matches.ts'
import { decidingZones } from '../policy/judge/consent/zones-of-path.ts'
import { secretName } from '../policy/names/secret-names.ts'
import type { Policy, WorkerDefinition } from '../policy/policy.ts'
import type { MayRead } from './files/walk-files.ts'

/**
 * Which files a search of a folder looks into: not what the zones' suffixes leave out, not key and environment files,
 * and not those whose reading an overlay makes ask or blocks when it did not speak of the search itself. (Zones below
 * the folder were judged with the call.) Folders are entered while they lie in a zone.
 */
export function mayReadFor(policy: Policy, worker: WorkerDefinition): MayRead {
  return (path, kind, from) => {
    const zones = decidingZones(worker.zones, path)
    if (zones.length === 0) return false
    if (kind === 'directory') return true
    const named = zones.every(
      ({ suffixes }) => suffixes === null || suffixes.some((suffix) => path.endsWith(suffix)),
    )
    if (!named || secretName(path) !== null) return false
    const read = traits(worker, 'read_file', path, 'file')
    const search = traits(worker, 'search_files', from, 'directory')
    return !policy.config.overlays.some(
      ({ when }) => whenMatches(when, read) && !whenMatches(when, search),
    )
  }
}

function traits(
  worker: WorkerDefinition,
  tool: string,
  path: string,
  target: 'file' | 'directory',
): CallTraits {
  const accesses = [{ operation: 'read', path, target } as const]
  const { name, queue } = worker
  return { tool, accesses, worker: name, queue, risk: 'low', command: null }
}
