import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { RequestState } from '#domain/requests/request.ts'
import { sealedDelivery } from './sealed-delivery.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/** The endpoint of all callbacks, including GitHub's; each key is a separate recipient. */
export const callbackEndpoint = 'callback:programs'

/**
 * Writes the callback of a program, or of a deployment, whose request ends, in the same
 * transaction: ids and the state only. One query if the program has no callback.
 */
export async function notifyProgram(
  unit: UnitOfWork,
  end: {
    readonly requestId: string
    readonly state: RequestState
    readonly type: 'request.decided' | 'request.closed'
  },
): Promise<void> {
  const { requestId, state, type } = end
  const program = await unit.tx
    .selectFrom('external_request')
    .select(['external_id', 'api_key_id'])
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('request_id', '=', requestId)
    .where((where) =>
      where.or([where('callback_url', 'is not', null), where('deployment', 'is not', null)]),
    )
    .executeTakeFirst()
  if (program === undefined) return
  const eventId = newId()
  const body = {
    specversion: '1.0',
    id: eventId,
    source: `/v1/requests/${requestId}`,
    type: `countersign.${type}`,
    subject: requestId,
    time: program.now.toISOString(),
    datacontenttype: 'application/json',
    data: { requestId, externalId: program.external_id, state },
  }
  await unit.tx
    .insertInto('delivery')
    .values(
      sealedDelivery(unit.seals, {
        endpoint: callbackEndpoint,
        event_id: eventId,
        recipient: program.api_key_id,
        type,
        request_id: requestId,
        body: JSON.stringify(body),
      }),
    )
    .execute()
  await sql`select pg_notify('countersign_webhook', '')`.execute(unit.tx)
}
