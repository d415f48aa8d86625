import { isSameHuman } from '#domain/deciding/eligibility.ts'
import { tally, type Vote } from '#domain/deciding/quorum.ts'
import type { Quorum, RequestKind } from '#domain/requests/request.ts'
import type { PersonRow } from './away.ts'

/** Somebody who can decide, with their present teams, and other rows of the same human. */
export interface EligibleRow extends PersonRow {
  readonly teams: readonly string[]
  readonly otherIds: readonly string[]
}

/**
 * Whether an approval by a person fills a place that is still open in some alternative of the
 * quorum. A second member of a team does not, if only the other team is missing. `votes` are the
 * approvals of this revision. Pure.
 */
export function fillsPlace(
  { kind, quorum }: { readonly kind: RequestKind; readonly quorum: Quorum },
  votes: readonly Vote[],
): (person: EligibleRow) => boolean {
  // One answer ends a question, and one finding an outcome check.
  if (kind === 'question' || kind === 'outcome_check') return () => true
  return (person) =>
    !votes.some(({ personId }) => isSameHuman(person, personId)) &&
    bringsNearer(quorum, votes, person)
}

function bringsNearer(quorum: Quorum, votes: readonly Vote[], { id, teams }: EligibleRow): boolean {
  const next = [...votes, { personId: id, teams }]
  return quorum.any.some((places) => openPlaces(places, next) < openPlaces(places, votes))
}

function openPlaces(places: Quorum['any'][number], votes: readonly Vote[]): number {
  const { missing } = tally({ any: [places] }, votes)
  return missing.reduce((sum, { count }) => sum + count, 0)
}
