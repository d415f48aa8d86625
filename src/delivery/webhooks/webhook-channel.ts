import { setAndRestart } from '#domain/error-message.ts'
import { requestUrl } from '#domain/requests/request-url.ts'
import { createHash } from 'node:crypto'
import { effectOf, type ChannelEvent } from '../channels/channel-event.ts'
import type { WebhookEndpoint } from '#policy/settings.ts'
import { finalOutcome, type NotificationChannel } from '../channels/channel.ts'
import { changedRows, bodyMatchesRequest, type Requests } from '../channels/body-matches-request.ts'
import type { Resolve, TargetRules } from './find-target.ts'
import { sendSigned } from './send-webhook.ts'
import { readSecrets } from './webhook-secret.ts'

export interface WebhookChannelOptions extends TargetRules, Requests {
  readonly endpoint: WebhookEndpoint
  readonly publicUrl: string
  /** the environment, for the endpoint's secret */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly resolve?: Resolve
}

/** Notifies configured endpoints: CloudEvents envelopes, signed as in Standard Webhooks. */
export function webhookChannel(options: WebhookChannelOptions): NotificationChannel {
  const { endpoint, publicUrl, environment, allow, isDevelopment, resolve } = options
  return {
    name: endpoint.name,
    kind: 'webhook',
    events: endpoint.events,
    queues: endpoint.queues,
    addressHash: createHash('sha256').update(endpoint.url).digest('hex'),
    compose: async (_tx, event) => [{ recipient: '', body: cloudEvent(event, publicUrl) }],
    send: async ({ id, body }, stopping, timeoutMs) => {
      const keys = readSecrets(environment[endpoint.secretFrom])
      if (keys === null) {
        const lack = `${endpoint.secretFrom} is not set, or is no whsec_… secret`
        return { status: null, error: `${lack}: ${setAndRestart}` }
      }
      if (!(await bodyMatchesRequest(options, body))) return finalOutcome(changedRows)
      const { url } = endpoint
      const to = { id, url, body, allow, isDevelopment, timeoutMs, stopping }
      return sendSigned(keys, { ...to, ...(resolve === undefined ? {} : { resolve }) })
    },
  }
}

/**
 * The body of a notification: a CloudEvents 1.0 envelope in JSON, with ids and what a list shows,
 * never arguments.
 */
function cloudEvent(event: ChannelEvent, publicUrl: string): string {
  const { request, run } = event
  return JSON.stringify({
    specversion: '1.0',
    id: event.eventId,
    source: publicUrl,
    type: `countersign.${event.type}`,
    subject: request?.id ?? run?.id,
    time: event.at.toISOString(),
    datacontenttype: 'application/json',
    data: {
      ...(request === null
        ? {}
        : {
            requestId: request.id,
            number: Number(request.number),
            kind: request.kind,
            state: request.state,
            revision: request.revision,
            queue: request.queue,
            risk: request.risk,
            tool: request.tool,
            title: effectOf(request),
            expiresAt: request.expires_at.toISOString(),
          }),
      ...(run === null ? {} : { runId: run.id, worker: run.worker, runState: run.state }),
      url:
        request === null ? `${publicUrl}/runs/${run?.id ?? ''}` : requestUrl(publicUrl, request.id),
    },
  })
}
