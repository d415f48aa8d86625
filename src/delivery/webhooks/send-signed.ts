import type { SendOutcome } from '../channels/channel.ts'
import { sendWebhook, type Sending } from './send-webhook.ts'
import { webhookHeaders } from './webhook-secret.ts'

/** One attempt at a CloudEvents envelope, signed with these keys as Standard Webhooks says. Never rejects. */
export async function sendSigned(
  keys: readonly Buffer[],
  sending: Omit<Sending, 'headers'> & { readonly id: string },
): Promise<SendOutcome> {
  const { id, ...rest } = sending
  const outcome = await sendWebhook({
    ...rest,
    headers: {
      'content-type': 'application/cloudevents+json',
      'user-agent': 'countersign',
      ...webhookHeaders(keys, { id, at: new Date(), body: sending.body }),
    },
  })
  // Standard Webhooks: gone, and not to be asked again.
  return outcome.status === 410 ? { ...outcome, isFinal: true } : outcome
}
