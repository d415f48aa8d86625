import type { Holder, ProjectConfig, Right } from '../../policy.ts'
import type { Names } from '../../reading/names.ts'
import { readFields, scalarOf, wrong, type Spot } from '../../reading/spot.ts'
import { readEmail, readOneOrMany, readReference } from '../../reading/values.ts'
import { rights } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

/** Nobody has any right. */
export const noRights: ProjectConfig['rights'] = {
  startApproveAll: [],
  manageRuns: [],
  readAudit: [],
  activatePolicy: [],
}

/** Reads `rights`: for each, teams and people (e-mail addresses). */
export function readRights(
  spot: Spot,
  names: Names,
  people: ReadonlySet<string>,
): ProjectConfig['rights'] {
  const fields = readFields(spot, keysOf(rights))
  if (fields === null) return noRights
  const holders = (right: Right): readonly Holder[] => {
    const value = fields.get(right)
    if (value === null) return []
    return readOneOrMany(value, (item) => readHolder(item, names, people)) ?? []
  }
  return {
    startApproveAll: holders('startApproveAll'),
    manageRuns: holders('manageRuns'),
    readAudit: holders('readAudit'),
    activatePolicy: holders('activatePolicy'),
  }
}

function readHolder(spot: Spot, names: Names, people: ReadonlySet<string>): Holder | null {
  const value = scalarOf(spot)
  if (typeof value !== 'string' || !value.includes('@')) {
    const team = readReference(spot, 'team', names.teams)
    return team === null ? null : { team }
  }
  const person = readEmail(spot)
  if (person === null) return null
  if (!people.has(person)) {
    wrong(spot, `names ${person}, who is in no team`, 'list them under "people" or in a team')
  }
  return { person }
}
