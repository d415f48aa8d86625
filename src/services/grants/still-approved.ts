import { sql, type RawBuilder, type Selectable } from 'kysely'
import { judgeEligibility } from '#domain/deciding/eligibility.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { DecisionTable } from '#store/tables/decisions.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { tallyVotes } from '../requests/facts/tally-votes.ts'
import type { Principal } from '../requests/people/principals-of-run.ts'
import { personRows, verifyPerson, type PersonRows } from '../core/verified-person.ts'

/** The request whose approval gave a grant, and the approvals of its last revision. */
export interface GivingApproval {
  readonly request: JsonRow
  readonly votes: readonly { readonly decision: JsonRow; readonly person: PersonRows }[]
}

/** The approval of the current `approval_grant` row. */
export const givingApproval: RawBuilder<GivingApproval> = sql<GivingApproval>`(
  select jsonb_build_object('request', to_jsonb(request), 'votes', (
    select coalesce(jsonb_agg(
      jsonb_build_object('decision', to_jsonb(d), 'person', ${personRows}) order by d.at, d.id), '[]')
    from decision d join person on person.id = d.person_id
    where d.request_id = request.id and d.revision = request.revision and d.decision = 'approve'))
  from request where request.id = approval_grant.request_id)`

/**
 * Whether those who gave a grant and could still approve the call meet the quorum that they met
 * then: if two were needed, both must still be able to decide (product.md 10, 18). `principals`:
 * the people behind the call. Rows without a valid seal do not count.
 */
export function isStillApproved(
  seals: Seals,
  approval: GivingApproval,
  principals: readonly Principal[],
): boolean {
  const request = fromJsonRow<Selectable<RequestTable>>(approval.request)
  if (!seals.holds('request', { ...request })) return false
  const { routing } = request
  const votes = approval.votes.flatMap((vote) => {
    const decision = fromJsonRow<Selectable<DecisionTable>>(vote.decision)
    if (!seals.holds('decision', { ...decision })) return []
    const person = verifyPerson(seals, vote.person)
    const { canDecide } = judgeEligibility({
      need: 'decide',
      person,
      quorum: routing.quorum,
      principals,
      selfApproval: decision.self_approved,
    })
    return canDecide ? [{ ...person, personId: person.id }] : []
  })
  return tallyVotes(routing, votes).met
}
