import type { BuiltInToolName } from '#domain/tools/built-in-tools.ts'
import type { Overlay } from '../../routing.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import type { CanonicalCall } from '../calls/canonical-call.ts'
import { opinionOf, strictest, type Opinion } from './opinion.ts'
import { protectedOpinions } from './protected-consent.ts'
import type { PolicyQuery } from '../calls/policy-query.ts'
import { toolOpinions } from './tool-consent.ts'
import { whenMatches, type CallTraits } from '../routing/when-matches.ts'
import { zoneOpinions, zonesTouched } from './zone-consent.ts'

/**
 * Step 4: who must agree. The strictest opinion of tool, zone, the rules of a command or delegation
 * (`commanded`), overlay and protected-name rule; of equally strict ones the most specific.
 * `hidesZones`: the call is a command that, if nobody is asked, runs in a sandbox that shows only
 * the zones that its rules name and those whose reads are pre-approved (security.md 40). The
 * opinions of other zones then count only where a person or a mode lets it run as it was written.
 */
export async function judgeConsent(
  query: PolicyQuery,
  worker: WorkerDefinition,
  call: CanonicalCall,
  guarded: readonly Opinion[],
  traits: CallTraits,
  commanded: Opinion | null,
  hidesZones: boolean,
): Promise<Opinion> {
  const before = [...guarded, ...(commanded === null ? [] : [commanded])]
  const after = [
    ...(await toolOpinions(worker, call)),
    ...overlayOpinions(query.policy.config.overlays, traits),
    ...(query.runsHere === false ? searchedElsewhere(query, worker, call, traits) : []),
  ]
  if (hidesZones) {
    const decisive = strictest([...before, ...after])
    if (decisive?.approval === 'preApproved') return decisive
  }
  const decisive = strictest([...before, ...zoneOpinions(worker, call.accesses), ...after])
  if (decisive !== null) return decisive
  const rule = { id: 'default:ask', text: 'no rule matches this call: it asks', source: null }
  return { approval: 'ask', rule, reason: null, isHighRisk: false }
}

/**
 * `search_files` leaves out files whose reading is restricted by zones or overlays. A search by
 * another program reads them too.
 */
function searchedElsewhere(
  { policy }: PolicyQuery,
  worker: WorkerDefinition,
  { accesses, tool }: CanonicalCall,
  traits: CallTraits,
): readonly Opinion[] {
  if (tool.name !== ('search_files' satisfies BuiltInToolName)) return []
  const read = { ...traits, tool: 'read_file' satisfies BuiltInToolName }
  const bySuffix = zonesTouched(worker, accesses).filter(({ suffixes }) => suffixes !== null)
  return [
    ...overlayOpinions(policy.config.overlays, read),
    ...bySuffix.map(({ name, source }) =>
      opinionOf(
        { approval: 'ask', reason: 'a program would search its other files too', source },
        `zone:${name}.read`,
        `zone ${name}: read`,
      ),
    ),
  ]
}

/** The opinions about protected names; they also make a call's risk high. */
export function guardedNames(
  query: PolicyQuery,
  worker: WorkerDefinition,
  call: CanonicalCall,
): readonly Opinion[] {
  return protectedOpinions(query.policy, worker, query.projectDir, call.accesses)
}

/** The opinions of the organisation's overlays, which can only be stricter. */
export function overlayOpinions(
  overlays: readonly Overlay[],
  traits: CallTraits,
): readonly Opinion[] {
  return overlays.flatMap((overlay, index) => {
    if (!whenMatches(overlay.when, traits)) return []
    return [
      opinionOf(overlay.consent, `overlay:${index + 1}`, `overlay ${index + 1}: ${traits.tool}`),
    ]
  })
}
