import type { Channel } from '../delivery/channels/channel.ts'
import { webhookChannel } from '../delivery/webhooks/webhook-channel.ts'
import type { Policy } from '../policy/policy.ts'

export interface ChannelSettings {
  /** where links lead */
  readonly publicUrl: string
  readonly isDevelopment: boolean
  /** the environment, for secrets */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Every channel that a policy configures: one for each of `configuredEndpoints`. */
export function channelsOf({ config }: Policy, settings: ChannelSettings): readonly Channel[] {
  const { allow, endpoints } = config.webhooks
  return [...endpoints.values()].map((endpoint) => webhookChannel({ endpoint, allow, ...settings }))
}
