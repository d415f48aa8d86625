import { Problem } from '#domain/problem.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Right } from '#policy/project-config.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import type { PersonRows } from '../../core/verified-person.ts'
import { memberOf } from './find-member.ts'

/**
 * The person of these rows as a starter of the worker. Throws `forbidden` for somebody who is
 * disabled, unknown, or in none of the teams that `startableBy` names.
 */
export function requireStarter(
  seals: Seals,
  worker: WorkerDefinition,
  rows: PersonRows | null,
): PersonRef {
  const teams = worker.startableBy
  const person = memberOf(seals, rows, teams ?? [])
  if (person === null) throw new Problem('forbidden', 'This account is disabled')
  if (teams !== null && !person.isMember) {
    throw new Problem('forbidden', `Only members of ${teams.join(' or ')} may start ${worker.name}`)
  }
  return { id: person.id, name: person.name }
}

/** The mode `approve_all` needs its right (product.md 21). Throws `mode_not_permitted`. */
export function requireApproveAll(rights: ReadonlySet<Right>): void {
  if (rights.has('startApproveAll')) return
  throw new Problem(
    'mode_not_permitted',
    'Starting a run in the mode approve_all needs the right startApproveAll (countersign.yaml, rights)',
  )
}
