import { cueNotices, riskOfCues, type CueSource } from '#domain/policy/cues.ts'
import { risks, type Risk } from '#domain/policy/verdict.ts'
import type { CanonicalCall } from '../calls/canonical-call.ts'
import type { CallTraits } from './when-matches.ts'

/**
 * A call's traits with its cues: routing can match them, and a command has at least the risk of its
 * highest one, whatever routing says (product.md 38).
 */
export function raisedByCues(
  call: Pick<CanonicalCall, 'command'>,
  own: Risk,
  cues: readonly CueSource[],
): Pick<CallTraits, 'risk' | 'cues' | 'leastRisk' | 'riskWhy'> {
  const ids = [...new Set(cues.map(({ id }) => id))]
  const least = call.command === null ? 'low' : riskOfCues(cues)
  const isRaised = risks.indexOf(least) > risks.indexOf(own)
  return {
    risk: isRaised ? least : own,
    cues: ids,
    leastRisk: least,
    ...(isRaised ? { riskWhy: `raised: ${ids.map((id) => cueNotices[id]).join('; ')}` } : {}),
  }
}
