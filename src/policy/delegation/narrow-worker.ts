import { operations } from '#domain/tools/access.ts'
import { decidingZones } from '../globs/zones-of-path.ts'
import type { Policy } from '../policy.ts'
import type { WorkerDefinition, Zone } from '../worker-definition.ts'

/**
 * The policy for a delegated run's calls (product.md 23): the one in force, in which its worker's
 * zones are no wider than those of any run above, since all work in one workspace. `above`: the
 * names of the workers above, from the root down; one that no longer exists may touch nothing.
 */
export function narrowPolicy(policy: Policy, worker: string, above: readonly string[]): Policy {
  const own = policy.workers.get(worker)
  if (own === undefined || above.length === 0) return policy
  const zones = above.reduce(
    (narrowed, name) => narrowZones(narrowed, policy.workers.get(name)?.zones ?? []),
    own.zones,
  )
  const workers = new Map<string, WorkerDefinition>(policy.workers).set(worker, { ...own, zones })
  return { ...policy, workers }
}

/**
 * Zones that allow a path exactly what both sides allow: at the root of every zone of either side
 * that lies in a zone of the other, the child's zone without what the parent's forbids. A blocked
 * approval of the parent's is added; all other consent is the child's own.
 */
function narrowZones(child: readonly Zone[], parent: readonly Zone[]): readonly Zone[] {
  const roots = new Set([...child, ...parent].map((zone) => zone.root))
  return [...roots].flatMap((root) => {
    const above = decidingZones(parent, root)
    if (above.length === 0) return []
    return decidingZones(child, root).map((zone) => narrowZone({ ...zone, root }, zone, above))
  })
}

function narrowZone(placed: Zone, zone: Zone, above: readonly Zone[]): Zone {
  const suffixes = above.reduce<Zone['suffixes']>(
    (left, { suffixes: right }) => commonSuffixes(left, right),
    zone.suffixes,
  )
  // Patterns may be relative to the zone's root: only the same pattern of the same root means the
  // same names.
  const sameRoot = [zone, ...above].every(({ root }) => root === placed.root)
  const isCommon = (glob: string): boolean => above.every((one) => one.protected.includes(glob))
  return {
    ...placed,
    mode: above.some(({ mode }) => mode === 'ro') ? 'ro' : zone.mode,
    suffixes,
    approval: { ...zone.approval, ...blockedIn(zone, above) },
    protected: sameRoot ? zone.protected.filter(isCommon) : [],
  }
}

/**
 * The suffixes that both sides permit: of two suffixes of which one ends in the other, the longer.
 * `null`: any name.
 */
function commonSuffixes(left: Zone['suffixes'], right: Zone['suffixes']): Zone['suffixes'] {
  if (left === null || right === null) return left ?? right
  const common = left.flatMap((one) =>
    right.flatMap((other) => {
      if (one.endsWith(other)) return [one]
      return other.endsWith(one) ? [other] : []
    }),
  )
  return [...new Set(common)]
}

function blockedIn(zone: Zone, above: readonly Zone[]): Zone['approval'] {
  const blocked = operations.flatMap((operation) => {
    const blocking = above.find((one) => one.approval[operation]?.approval === 'blocked')
    const consent = blocking?.approval[operation]
    const own = zone.approval[operation]?.approval === 'blocked'
    return consent === undefined || own ? [] : [[operation, consent] as const]
  })
  return Object.fromEntries(blocked)
}
