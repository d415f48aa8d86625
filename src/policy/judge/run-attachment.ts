import type { WorkerDefinition } from '../worker-definition.ts'
import { blockedText } from './consent/opinion.ts'
import { readOpinion, shareOpinion, type ReadingPlace } from './consent/read-opinion.ts'
import { decidingZones } from '../globs/zones-of-path.ts'

/** Why a run may not get a file at its start. */
export interface RefusedAttachment {
  readonly code: 'policy_blocked' | 'invalid_request'
  /** a sentence without its end */
  readonly text: string
}

/**
 * Whether a run may get a file at its start (workers-and-policy.md, zones), or why not. It may get
 * a file that its worker may read without approval. It may also get one that a worker of `sharers`,
 * which may call it, could share without approval (a zone that pre-approves `share`). A file that
 * asks is refused, because nobody would be asked. Pure; the path is canonical.
 */
export function refusedAttachment(
  place: ReadingPlace,
  sharers: readonly WorkerDefinition[],
  path: string,
): RefusedAttachment | null {
  const { name } = place.worker
  const quoted = JSON.stringify(path)
  const own = reaches(place.worker, path) ? readOpinion(place, path) : null
  if (own?.approval === 'preApproved') return null
  if (own?.approval === 'blocked') return { code: 'policy_blocked', text: blockedText(own) }
  if (own?.approval === 'ask') {
    const text = `reading ${quoted} asks (${own.rule.text}): leave it out, and the run asks when it reads it`
    return { code: 'invalid_request', text }
  }
  const shares = sharers
    .filter((worker) => reaches(worker, path))
    .flatMap((worker) => shareOpinion({ ...place, worker }, path) ?? [])
  if (shares.some(({ approval: word }) => word === 'preApproved')) return null
  const asks = shares.find(({ approval: word }) => word === 'ask')
  const why =
    asks === undefined
      ? 'no worker that may call it shares it'
      : `handing it over needs an approval, which only a call of call_worker asks for (${asks.rule.text})`
  const text = `no zone of ${name} lets it read ${quoted}, and ${why}`
  return { code: 'invalid_request', text }
}

/** Whether a zone contains the path, including its suffix. */
function reaches(worker: WorkerDefinition, path: string): boolean {
  const zones = decidingZones(worker.zones, path)
  const hasSuffix = ({ suffixes }: (typeof zones)[number]): boolean =>
    suffixes === null || suffixes.some((suffix) => path.endsWith(suffix))
  return zones.length > 0 && zones.every(hasSuffix)
}
