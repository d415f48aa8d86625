import { callbackChannel } from '../../delivery/callbacks/callback-channel.ts'
import type { Channel } from '../../delivery/channels/channel.ts'
import { emailChannel } from '../../delivery/email/email-channel.ts'
import { slackChannel } from '../../delivery/slack/slack-channel.ts'
import { webhookChannel } from '../../delivery/webhooks/webhook-channel.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Db } from '../../store/database.ts'
import type { SlackConnection } from './connect-slack.ts'

export interface ChannelSettings {
  readonly db: Db
  /** where links lead */
  readonly publicUrl: string
  readonly isDevelopment: boolean
  /** the environment, for secrets */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly slack: Pick<SlackConnection, 'clientOf'>
}

/** Every channel that a policy configures, one for each of `configuredEndpoints`, and that of programs' callbacks. */
export function channelsOf(policy: Policy, settings: ChannelSettings): readonly Channel[] {
  const { webhooks, slack, email } = policy.config
  const { allow, endpoints } = webhooks
  const { db, publicUrl } = settings
  const client = settings.slack.clientOf(policy)
  const { isDevelopment } = settings
  return [
    callbackChannel({ db, allow, isDevelopment }),
    ...[...endpoints.values()].map((endpoint) => webhookChannel({ endpoint, allow, ...settings })),
    ...(slack === null ? [] : [slackChannel({ db, settings: slack, client, publicUrl })]),
    ...(email === null ? [] : [emailChannel({ settings: email, ...settings })]),
  ]
}
