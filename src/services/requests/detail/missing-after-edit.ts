import { editsOf } from '#domain/deciding/edits-policy.ts'
import { tally } from '#domain/deciding/quorum.ts'
import type { QuorumPlace } from '#domain/requests/request.ts'
import type { Caller } from '../../core/context.ts'
import type { RequestItemRecord } from '../facts/request-record.ts'
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
  // Two rows of one human count once.
  const humans = others.filter(
    ({ otherIds }, at) => !others.slice(0, at).some(({ id }) => otherIds.includes(id)),
  )
  return tally(
    row.quorum,
    humans.map(({ id, teams }) => ({ personId: id, teams })),
  ).missing
}
