import type { Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { DeliveryTable } from '#store/tables/deliveries.ts'

type NewDelivery = Pick<
  Selectable<DeliveryTable>,
  'endpoint' | 'event_id' | 'recipient' | 'type' | 'request_id' | 'body'
>

/**
 * The row of a new notification, for the insert. Its seal lets the relay send exactly this text to
 * exactly this recipient (security.md 29).
 */
export function sealedDelivery(seals: Seals, columns: NewDelivery) {
  const row = { id: newId(), ...columns }
  return { ...row, seal: seals.of('delivery', row) }
}
