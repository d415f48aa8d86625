import type { RequestFacts } from '../channels/channel-event.ts'
import type { Tx } from '#store/database.ts'
import { valueIn } from '#domain/json/value-in.ts'
import { cancelledWords } from '#domain/text/cancel-reason-words.ts'
import { withCapital } from '#domain/text/readable-name.ts'

/**
 * How a request ended: `Denied by Grace`, `Cancelled: its run failed`. The reasons of people are
 * not included: they stay on the request's page.
 */
export async function outcomeInWords(
  tx: Tx,
  request: Pick<RequestFacts, 'id' | 'kind' | 'state' | 'revision' | 'cancel_reason'>,
): Promise<string> {
  const { id, kind, state, revision, cancel_reason: cancelReason } = request
  const settled = kind === 'outcome_check' ? 'Settled' : null
  const words: Readonly<Record<string, string>> = {
    approved: settled ?? (kind === 'question' ? 'Answered' : 'Approved'),
    denied: settled ?? 'Denied',
    expired: 'Expired, since nobody decided in time',
    cancelled: withCapital(cancelledWords(cancelReason)),
  }
  const outcome = valueIn(words, state) ?? state
  if (state !== 'approved' && state !== 'denied') return outcome
  const names = await tx
    .selectFrom('decision')
    .innerJoin('person', 'person.id', 'decision.person_id')
    .select('person.name')
    .where('decision.request_id', '=', id)
    .where('decision.revision', '=', revision)
    .where('decision.decision', '=', state === 'approved' ? 'approve' : 'deny')
    .orderBy('decision.at')
    .execute()
  return names.length === 0 ? outcome : `${outcome} by ${names.map(({ name }) => name).join(', ')}`
}
