import type { WebhookEndpoint } from '../../policy/policy.ts'
import type { Channel } from '../channels/channel.ts'
import { cloudEvent } from './cloud-event.ts'
import type { Resolve, TargetRules } from './find-target.ts'
import { sendWebhook } from './send-webhook.ts'
import { readSecrets, webhookHeaders } from './webhook-secret.ts'

export interface WebhookChannelOptions extends TargetRules {
  readonly endpoint: WebhookEndpoint
  readonly publicUrl: string
  /** the environment, for the endpoint's secret */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly resolve?: Resolve
}

/** Tells an endpoint of countersign.yaml: a CloudEvents envelope, signed as Standard Webhooks says. */
export function webhookChannel(options: WebhookChannelOptions): Channel {
  const { endpoint, publicUrl, environment, allow, isDevelopment, resolve } = options
  return {
    name: endpoint.name,
    kind: 'webhook',
    events: endpoint.events,
    queues: endpoint.queues,
    compose: async (_tx, happening) => [{ recipient: '', body: cloudEvent(happening, publicUrl) }],
    send: async ({ id, body }, stopping, timeoutMs) => {
      const keys = readSecrets(environment[endpoint.secretFrom])
      if (keys === null) {
        return { status: null, error: `${endpoint.secretFrom} is not set, or is no whsec_… secret` }
      }
      const outcome = await sendWebhook({
        url: endpoint.url,
        headers: {
          'content-type': 'application/cloudevents+json',
          'user-agent': 'countersign',
          ...webhookHeaders(keys, { id, at: new Date(), body }),
        },
        body,
        allow,
        isDevelopment,
        timeoutMs,
        stopping,
        ...(resolve === undefined ? {} : { resolve }),
      })
      // Standard Webhooks: gone, and not to be asked again.
      return outcome.status === 410 ? { ...outcome, isFinal: true } : outcome
    },
  }
}
