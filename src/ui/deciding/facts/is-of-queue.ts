import type { Me } from '#api/schemas/access/auth.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'

/**
 * Whether a person may decide the request or is in a team of its quorum, and so may claim, extend
 * or revoke it. `quorum` has one of several alternatives: people of another one may decide. Pure.
 */
export function isOfQueue(
  { person }: Me,
  { quorum, eligibility }: Pick<RequestDetail, 'quorum' | 'eligibility'>,
): boolean {
  const teams = quorum.required.flatMap(({ team, also = [] }) => [team, ...also])
  return eligibility.canDecide || person.teams.some((team) => teams.includes(team))
}
