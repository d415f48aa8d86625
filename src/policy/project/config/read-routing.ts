import { risks, scopes } from '#domain/policy/verdict.ts'
import type { Overlay, RoutingEntry, QuorumSetting } from '../../routing.ts'
import {
  type Names,
  readChoice,
  readList,
  readOneOrMany,
  readReference,
  readText,
  readCount,
} from '../../reading/values.ts'
import { checkOneReason, readConsent } from '../../reading/read-consent.ts'
import {
  readFields,
  fieldSource,
  wrong,
  type YamlField,
  isListAt,
  readItems,
} from '../../reading/yaml-field.ts'
import { readWhen } from './read-when.ts'
import {
  overlay,
  overlayWhen,
  place,
  quorum,
  routingEntry,
  when as routingWhen,
} from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'
import type { QuorumPlace } from '#domain/requests/request.ts'

/** Reads `routing`, in its order: the first match wins. */
export function readRouting(field: YamlField, names: Names): RoutingEntry[] {
  return readList(field, (item) => {
    const fields = readFields(item, keysOf(routingEntry))
    if (fields === null) return null
    const when = readWhen(fields, names, routingWhen)
    const entry = {
      queue: fields.read('queue', (at) => readReference(at, 'queue', names.queues), null),
      risk: fields.read('risk', (at) => readChoice(at, risks), null),
      quorum: fields.read('quorum', (at) => readQuorum(at, names), null),
      scopes: fields.read(
        'scopes',
        (at) => readOneOrMany(at, (one) => readChoice(one, scopes)),
        null,
      ),
      source: fieldSource(item),
    }
    return when === null ? null : { when, ...entry }
  })
}

/** Reads `overlays`: the organisation's own rules, which can only be stricter. */
export function readOverlays(field: YamlField, names: Names): Overlay[] {
  return readList(field, (item) => {
    const fields = readFields(item, keysOf(overlay))
    if (fields === null) return null
    const when = readWhen(fields, names, overlayWhen)
    const reasonField = fields.get('reason')
    const reason = reasonField === null ? null : readText(reasonField)
    const approval = fields.getNeeded('approval', 'write `approval: ask` or `approval: blocked`')
    checkOneReason(approval, reasonField)
    if (approval === null) return null
    const consent = readConsent(approval, ['ask', 'blocked'], reason)
    if (when === null || consent === null) return null
    return { when, consent: { ...consent, source: fieldSource(item) } }
  })
}

const maxApprovals = 20

/** Reads one of `{ count }`, `{ allOf: […] }` and `{ anyOf: […] }` of `{team, count}`. */
function readQuorum(field: YamlField, names: Names): QuorumSetting | null {
  const fields = readFields(field, keysOf(quorum))
  if (fields === null) return null
  const count = fields.get('count')
  const allOf = fields.get('allOf')
  const anyOf = fields.get('anyOf')
  if ([count, allOf, anyOf].filter((value) => value !== null).length !== 1) {
    wrong(
      field,
      'must have exactly one of these keys',
      'give exactly one of "count", "allOf" and "anyOf"',
    )
    return null
  }
  if (count !== null) {
    const number = readCount(count, 1, maxApprovals)
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

function readPlace(field: YamlField, names: Names): QuorumPlace | null {
  const fields = readFields(field, keysOf(place))
  const teamField = fields?.get('team') ?? null
  if (fields === null) return null
  if (teamField === null) {
    wrong(field, 'names no team', 'write `{ team: platform, count: 1 }`')
    return null
  }
  const team = readReference(teamField, 'team', names.teams)
  const count = fields.read('count', (at) => readCount(at, 1, maxApprovals), 1)
  return team === null || count === null ? null : { team, count }
}
