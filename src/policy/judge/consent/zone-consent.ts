import type { ApprovalWord } from '#domain/policy/verdict.ts'
import type { Access, Operation } from '#domain/tools/access.ts'
import type { WorkerDefinition, Zone } from '../../worker-definition.ts'
import { opinionOf, type Opinion } from './opinion.ts'
import { decidingZones, zonesBelow } from '../../globs/zones-of-path.ts'

/** The defaults of a zone (workers-and-policy.md, built-in tools). */
const unset: Readonly<Record<Operation, ApprovalWord>> = {
  read: 'preApproved',
  write: 'ask',
  delete: 'ask',
  share: 'ask',
}

/** The opinion of each zone of a call. Listing a folder touches the zones below it too. */
export function zoneOpinions(
  worker: Pick<WorkerDefinition, 'zones'>,
  accesses: readonly Access[],
): readonly Opinion[] {
  return accesses.flatMap((access) =>
    zonesTouched(worker, [access]).map((zone) => zoneOpinion(zone, access.operation)),
  )
}

/** The zones that decide about accesses, and those below a folder that is accessed. */
export function zonesTouched(
  { zones }: Pick<WorkerDefinition, 'zones'>,
  accesses: readonly Access[],
): readonly Zone[] {
  return accesses.flatMap(({ path, target }) => [
    ...decidingZones(zones, path),
    ...(target === 'directory' ? zonesBelow(zones, path) : []),
  ])
}

/** A zone's opinion on one operation, from the file or by default. */
export function zoneOpinion(zone: Zone, operation: Operation): Opinion {
  const consent = zone.approval[operation] ?? {
    approval: unset[operation],
    reason: null,
    source: zone.source,
  }
  return opinionOf(consent, `zone:${zone.name}.${operation}`, `zone ${zone.name}: ${operation}`)
}
