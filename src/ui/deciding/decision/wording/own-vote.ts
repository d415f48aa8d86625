import type { DecisionView } from '#api/schemas/requests/request-parts.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useMe } from '../../../api/queries.ts'

/** This person's vote on the present revision of a request; `null`: there is none. */
export function useOwnVote({ decisions, revision }: RequestDetail): DecisionView | null {
  const me = useMe().person.id
  return decisions.find((one) => one.person.id === me && one.revision === revision) ?? null
}
