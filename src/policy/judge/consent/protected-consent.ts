import type { ApprovalWord } from '#domain/policy/verdict.ts'
import { isChange, type Access } from '#domain/tools/access.ts'
import { ownFile } from '../../names/own-files.ts'
import { protectedName } from '../../names/protected-names.ts'
import { secretName } from '../../names/secret-names.ts'
import type { Policy } from '../../policy.ts'
import type { WorkerDefinition, Zone } from '../../worker-definition.ts'
import type { Opinion } from './opinion.ts'
import { globMatches } from '../routing/when-matches.ts'
import { decidingZones } from '../../globs/zones-of-path.ts'

/**
 * The opinions of the rules about protected names (security.md 8), which apply at any depth and in
 * every zone.
 */
export function protectedOpinions(
  policy: Policy,
  worker: WorkerDefinition,
  projectDir: string,
  accesses: readonly Access[],
): readonly Opinion[] {
  return accesses.flatMap((access) => {
    const opinion = isChange(access)
      ? protectedChange(policy, worker, projectDir, access)
      : secretRead(access)
    return opinion === null ? [] : [opinion]
  })
}

function secretRead(access: Access): Opinion | null {
  const name = access.target === 'file' ? secretName(access.path) : null
  if (name === null) return null
  return opinion('ask', `secret:${name}`, `reading a key or environment file (${name}) asks`, null)
}

function protectedChange(
  policy: Policy,
  worker: WorkerDefinition,
  projectDir: string,
  access: Access,
): Opinion | null {
  const own = ownFile(policy, projectDir, access.path)
  if (own !== null) {
    const text = `${own} is one of Countersign's own files: never an agent's to change`
    return opinion('blocked', `protected:${own}`, text, null)
  }
  const zones = decidingZones(worker.zones, access.path)
  const isListed = zones.length > 0 && zones.every((zone) => listsProtected(zone, access.path))
  const protection = protectedName(access.path)
  if (isListed) {
    const zone = zones[0]
    const name = protection?.name ?? access.path
    const text = `zone ${zone?.name ?? ''} lists the protected name ${name}: it asks`
    return opinion('ask', `protected:${name}`, text, zone?.source ?? null)
  }
  if (protection === null) return null
  const text = `protected name ${protection.name} (${protection.what})`
  return opinion('blocked', `protected:${protection.name}`, text, null)
}

/** A zone's `protected` patterns are relative to its root, or to the workspace's. */
export function listsProtected(zone: Zone, path: string): boolean {
  const inZone = zone.root === '' ? path : path.slice(zone.root.length + 1)
  return zone.protected.some((glob) => globMatches(glob, inZone) || globMatches(glob, path))
}

function opinion(word: ApprovalWord, id: string, text: string, source: string | null): Opinion {
  return { approval: word, rule: { id, text, source }, reason: null, isHighRisk: true }
}
