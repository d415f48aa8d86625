import { isSameHuman } from '#domain/deciding/eligibility.ts'
import { tally, type Vote } from '#domain/deciding/quorum.ts'
import type { Quorum } from '#domain/requests/request.ts'
import type { RequestDetailRecord, RequestItemRecord } from '../facts/request-record.ts'
import { withAbsence } from '../people/away.ts'
import type { DetailRow } from './read-detail.ts'

type EligibleRow = DetailRow['eligible'][number]

/**
 * The people who can decide a pending request. `fillsPlace`: an approval by the person fills a
 * place that is still open in some alternative of the quorum, as that of a second member of a team
 * does not where the other team is missing.
 */
export function eligiblePeople(
  { state, kind, revision }: Pick<RequestItemRecord, 'state' | 'kind' | 'revision'>,
  row: Pick<DetailRow, 'quorum' | 'eligible' | 'decisions'>,
): RequestDetailRecord['eligiblePeople'] {
  if (state !== 'pending') return []
  const approvals = row.decisions.filter(
    (decision) => decision.decision === 'approve' && decision.revision === revision,
  )
  const hasApproved = (one: EligibleRow): boolean =>
    approvals.some(({ person }) => isSameHuman(one, person.id))
  const votes = row.eligible
    .filter(({ id }) => approvals.some(({ person }) => person.id === id))
    .map(({ id, teams }) => ({ personId: id, teams }))
  // One answer ends a question, and one finding an outcome check.
  const isEndedByOne = kind === 'question' || kind === 'outcome_check'
  return row.eligible.map((person) => ({
    ...withAbsence(person),
    fillsPlace: isEndedByOne || (!hasApproved(person) && bringsNearer(row.quorum, votes, person)),
  }))
}

function bringsNearer(quorum: Quorum, votes: readonly Vote[], { id, teams }: EligibleRow): boolean {
  const next = [...votes, { personId: id, teams }]
  return quorum.any.some((places) => openPlaces(places, next) < openPlaces(places, votes))
}

function openPlaces(places: Quorum['any'][number], votes: readonly Vote[]): number {
  const { missing } = tally({ any: [places] }, votes)
  return missing.reduce((sum, { count }) => sum + count, 0)
}
