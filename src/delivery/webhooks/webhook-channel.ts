import type { WebhookEndpoint } from '../../policy/settings.ts'
import type { Channel } from '../channels/channel.ts'
import { cloudEvent } from './cloud-event.ts'
import type { Resolve, TargetRules } from './find-target.ts'
import { sendSigned } from './send-signed.ts'
import { readSecrets } from './webhook-secret.ts'

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
      const { url } = endpoint
      const to = { id, url, body, allow, isDevelopment, timeoutMs, stopping }
      return sendSigned(keys, { ...to, ...(resolve === undefined ? {} : { resolve }) })
    },
  }
}
