import type { RequestDetailRecord, RequestItemRecord } from '../facts/request-record.ts'
import { withAbsence } from '../people/away.ts'
import { fillsPlace } from '../people/fills-place.ts'
import type { DetailRow } from './read-detail.ts'

/** The people who can decide a pending request, and whether an approval by them fills a place. */
export function eligiblePeople(
  { state, kind, revision }: Pick<RequestItemRecord, 'state' | 'kind' | 'revision'>,
  { quorum, eligible, decisions }: Pick<DetailRow, 'quorum' | 'eligible' | 'decisions'>,
): RequestDetailRecord['eligiblePeople'] {
  if (state !== 'pending') return []
  const votes = decisions
    .filter((decision) => decision.decision === 'approve' && decision.revision === revision)
    .map(({ person: { id } }) => {
      // Somebody who can no longer decide has left the teams, or is disabled.
      const teams = eligible.find((one) => one.id === id)?.teams ?? []
      return { personId: id, teams }
    })
  const fills = fillsPlace({ kind, quorum }, votes)
  return eligible.map((person) => ({ ...withAbsence(person), fillsPlace: fills(person) }))
}
