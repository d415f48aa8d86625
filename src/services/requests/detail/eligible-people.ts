import { tally, type Tally } from '#domain/deciding/quorum.ts'
import type { RequestDetailRecord, RequestItemRecord } from '../facts/request-record.ts'
import { withAbsence } from '../people/away.ts'
import type { DetailRow } from './read-detail.ts'

/**
 * The people who can decide a pending request. `fillsPlace`: an approval by the person fills a
 * place that is still open, as that of a second member of a team does not where the other team is
 * missing.
 */
export function eligiblePeople(
  { state, kind, quorum }: Pick<RequestItemRecord, 'state' | 'kind' | 'quorum'>,
  row: Pick<DetailRow, 'quorum' | 'eligible'>,
): RequestDetailRecord['eligiblePeople'] {
  if (state !== 'pending') return []
  const votes = quorum.counted.map(({ person, team }) => ({
    personId: person.id,
    teams: row.eligible.find(({ id }) => id === person.id)?.teams ?? [team],
  }))
  const open = placesOf(tally(row.quorum, votes))
  return row.eligible.map((person) => {
    const isVoter = votes.some(({ personId }) => personId === person.id)
    const now = tally(row.quorum, [...votes, { personId: person.id, teams: person.teams }])
    // Whoever answers a question fills no place: one answer ends it.
    const fillsPlace = kind === 'question' || (!isVoter && placesOf(now) < open)
    return { ...withAbsence(person), fillsPlace }
  })
}

function placesOf({ missing }: Pick<Tally, 'missing'>): number {
  return missing.reduce((sum, { count }) => sum + count, 0)
}
