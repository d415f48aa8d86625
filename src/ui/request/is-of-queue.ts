import type { Me } from '#api/schemas/access/auth.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'

/** Whether a person is in a team of the request's quorum, and so may extend or revoke it. Pure. */
export function isOfQueue({ person }: Me, { quorum }: Pick<RequestDetail, 'quorum'>): boolean {
  const teams = quorum.required.flatMap(({ team, also = [] }) => [team, ...also])
  return person.teams.some((team) => teams.includes(team))
}
