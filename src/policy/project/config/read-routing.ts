import type { Scope } from '../../../domain/verdict.ts'
import type { Overlay, RoutingEntry } from '../../policy.ts'
import type { Names } from '../../reading/names.ts'
import { checkOneReason, readConsent } from '../../reading/read-consent.ts'
import { readFields, spotSource, wrong, type Spot } from '../../reading/spot.ts'
import {
  readChoice,
  readList,
  readOneOrMany,
  readReference,
  readText,
} from '../../reading/values.ts'
import { readQuorum } from './read-quorum.ts'
import { readWhen } from './read-when.ts'
import { overlay, routingEntry } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

const scopeNames: readonly Scope[] = ['once', 'run', 'path', 'command']

/** Reads `routing`, in its order: the first match wins. */
export function readRouting(spot: Spot, names: Names): RoutingEntry[] {
  return readList(spot, (item) => {
    const fields = readFields(item, keysOf(routingEntry))
    if (fields === null) return null
    const when = readWhen(fields, names)
    const queue = fields.get('queue')
    const risk = fields.get('risk')
    const quorum = fields.get('quorum')
    const scopes = fields.get('scopes')
    const entry = {
      queue: queue === null ? null : readReference(queue, 'queue', names.queues),
      risk: risk === null ? null : readChoice(risk, ['low', 'medium', 'high']),
      quorum: quorum === null ? null : readQuorum(quorum, names),
      scopes:
        scopes === null ? null : readOneOrMany(scopes, (one) => readChoice<Scope>(one, scopeNames)),
      source: spotSource(item),
    }
    return when === null ? null : { when, ...entry }
  })
}

/** Reads `overlays`: the organisation's own rules, which may only tighten. */
export function readOverlays(spot: Spot, names: Names): Overlay[] {
  return readList(spot, (item) => {
    const fields = readFields(item, keysOf(overlay))
    if (fields === null) return null
    const when = readWhen(fields, names)
    const reasonSpot = fields.get('reason')
    const reason = reasonSpot === null ? null : readText(reasonSpot)
    const approval = fields.get('approval')
    checkOneReason(approval, reasonSpot)
    if (approval === null) {
      wrong(item, 'has no "approval"', 'write `approval: ask` or `approval: blocked`')
      return null
    }
    const consent = readConsent(approval, ['ask', 'blocked'], reason)
    if (when === null || consent === null) return null
    return { when, consent: { ...consent, source: spotSource(item) } }
  })
}
