import type { QuorumPlace } from '../../../domain/request.ts'
import type { QuorumSetting } from '../../policy.ts'
import type { Names } from '../../reading/names.ts'
import { isListAt, readFields, readItems, wrong, type Spot } from '../../reading/spot.ts'
import { readCount, readReference } from '../../reading/values.ts'
import { place, quorum } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

const most = 20

/** Reads `{ count }`, `{ allOf: […] }` or `{ anyOf: […] }` of `{team, count}`; exactly one of them. */
export function readQuorum(spot: Spot, names: Names): QuorumSetting | null {
  const fields = readFields(spot, keysOf(quorum))
  if (fields === null) return null
  const count = fields.get('count')
  const allOf = fields.get('allOf')
  const anyOf = fields.get('anyOf')
  if ([count, allOf, anyOf].filter((given) => given !== null).length !== 1) {
    wrong(spot, 'does not say one thing', 'give exactly one of "count", "allOf" and "anyOf"')
    return null
  }
  if (count !== null) {
    const number = readCount(count, 1, most)
    return number === null ? null : { count: number }
  }
  const list = allOf ?? anyOf
  if (list === null) return null
  const written = readItems(list)
  const places = written.map((item) => readPlace(item, names)).filter((place) => place !== null)
  if (isListAt(list) && written.length === 0) {
    wrong(list, 'has no places', 'name at least one team: `[{ team: platform, count: 1 }]`')
  }
  if (places.length === 0) return null
  return { places: { any: allOf === null ? places.map((place) => [place]) : [places] } }
}

function readPlace(spot: Spot, names: Names): QuorumPlace | null {
  const fields = readFields(spot, keysOf(place))
  const teamSpot = fields?.get('team') ?? null
  if (fields === null) return null
  if (teamSpot === null) {
    wrong(spot, 'names no team', 'write `{ team: platform, count: 1 }`')
    return null
  }
  const team = readReference(teamSpot, 'team', names.teams)
  const countSpot = fields.get('count')
  const count = countSpot === null ? 1 : readCount(countSpot, 1, most)
  return team === null || count === null ? null : { team, count }
}
