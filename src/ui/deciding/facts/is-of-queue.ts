import type { Me } from '#api/schemas/access/auth.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'

/**
 * Whether a person is of a request's queue, and so may claim, extend and revoke it: in a team of
 * its quorum, or of an alternative to it, of which `quorum` has only the nearest. Pure.
 */
export function isOfQueue(
  { person }: Me,
  { quorum, eligiblePeople }: Pick<RequestDetail, 'quorum' | 'eligiblePeople'>,
): boolean {
  const teams = quorum.required.flatMap(({ team, also = [] }) => [team, ...also])
  return (
    person.teams.some((team) => teams.includes(team)) ||
    eligiblePeople.some(({ id }) => id === person.id)
  )
}
