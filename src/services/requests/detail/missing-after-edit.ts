import { editsOf } from '#domain/deciding/edits-policy.ts'
import { tally } from '#domain/deciding/quorum.ts'
import type { QuorumPlace } from '#domain/requests/request.ts'
import type { Caller } from '../../core/context.ts'
import type { RequestItemRecord } from '../facts/request-record.ts'
import { oncePerHuman } from '../facts/tally-votes.ts'
import type { DetailRow } from './read-detail.ts'

/**
 * What the quorum of a request lacks once its caller has changed the call: a change puts its editor
 * behind it (product.md 11), and the others may be too few. Empty: they are enough, or the caller
 * would still count.
 */
export function missingAfterEdit(
  { actor }: Caller,
  item: Pick<RequestItemRecord, 'state' | 'tool' | 'risk' | 'eligibility'>,
  row: Pick<DetailRow, 'edits' | 'quorum' | 'selfApproval' | 'eligible'>,
): readonly QuorumPlace[] {
  const isEditor = actor.type === 'person' && item.state === 'pending' && item.eligibility.canDecide
  if (!isEditor || row.selfApproval || editsOf(row.edits, item) !== 'revise') return []
  const others = row.eligible.filter(
    ({ id, otherIds }) => id !== actor.id && !otherIds.includes(actor.id),
  )
  const voters = others.map(({ id, otherIds, teams }) => ({ personId: id, otherIds, teams }))
  return tally(row.quorum, oncePerHuman(voters)).missing
}
