import type { DeliveryRecord } from '../../services/webhooks/list-deliveries.ts'
import type { WebhookDelivery } from '../schemas/notifications/webhooks.ts'

export function deliveryView(record: DeliveryRecord): WebhookDelivery {
  return {
    ...record,
    nextAttemptAt: record.nextAttemptAt?.toISOString() ?? null,
    createdAt: record.createdAt.toISOString(),
    endedAt: record.endedAt?.toISOString() ?? null,
  }
}
