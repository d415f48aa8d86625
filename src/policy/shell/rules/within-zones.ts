import type { CommandHost } from '../../../domain/command.ts'
import type { Zone } from '../../policy.ts'
import { decidingZones, zonesBelow } from '../../judge/consent/zones-of-path.ts'

/** What a rule's `zones` is judged with. `root` is the workspace's, absolute; `cwd` is relative to it. */
export interface ZonePlace {
  readonly host: CommandHost
  readonly root: string
  readonly cwd: string
  readonly zones: readonly Zone[]
}

/**
 * Which of some arguments lies outside of the named zones once links are followed, or `null`. The deepest zone that
 * contains a path decides, and a folder must not hold a zone that is not named.
 */
export async function outsideZones(
  place: ZonePlace,
  names: readonly string[],
  paths: readonly string[],
): Promise<string | null> {
  const root = await place.host.realPath(place.root)
  if (root === null) return place.root
  for (const path of paths) {
    const absolute = path.startsWith('/') ? path : [place.root, place.cwd, path].join('/')
    const real = await place.host.realPath(absolute)
    if (real === null || !isNamed(place.zones, names, root, real)) return path
  }
  return null
}

function isNamed(
  zones: readonly Zone[],
  names: readonly string[],
  root: string,
  real: string,
): boolean {
  if (real !== root && !real.startsWith(`${root}/`)) return false
  const inside = real === root ? '' : real.slice(root.length + 1)
  const deciding = decidingZones(zones, inside)
  const all = [...deciding, ...zonesBelow(zones, inside)]
  return deciding.length > 0 && all.every((zone) => names.includes(zone.name))
}
