import { ChannelRelay } from '#delivery/channels/channel-relay.ts'
import { repeatMailRounds } from '#delivery/email/mail-rounds.ts'
import { SignInMails } from '#delivery/email/sign-in-mails.ts'
import type { SlackWorkspace } from '#delivery/slack/slack-identity.ts'
import { pushChannel, type PushChannelOptions } from '#delivery/push/push-channel.ts'
import type { VapidKey } from '#delivery/push/encrypt-push.ts'
import { sessionTimes } from '#services/access/sessions/session-times.ts'
import type { SigningSystemContext, PolicyReader } from '#services/core/context.ts'
import { callbackChannel } from '#delivery/callbacks/callback-channel.ts'
import type { NotificationChannel } from '#delivery/channels/channel.ts'
import { emailChannel } from '#delivery/email/email-channel.ts'
import { slackChannel } from '#delivery/slack/slack-channel.ts'
import { webhookChannel } from '#delivery/webhooks/webhook-channel.ts'
import type { Policy } from '#policy/policy.ts'
import type { Db } from '#store/database.ts'
import { SlackClient, usualSlackUrl } from '#delivery/slack/slack-client.ts'
import type { Config } from '../config/config.ts'
import type { Environment } from '../environment.ts'

/**
 * Starts the notifications to people and programs outside of the dashboard: the channels of the
 * policy in force, the rounds of mail, and mails with sign-in links. `undo` stops them. Returns
 * what the HTTP API needs of it.
 */
export function notifyPeople(
  undo: AsyncDisposableStack,
  {
    ctx,
    config,
    environment,
    pushKey,
  }: { ctx: SigningSystemContext; config: Config; environment: Environment; pushKey: VapidKey },
): {
  readonly slackWorkspace: () => Promise<SlackWorkspace | null>
  readonly signInMails: SignInMails
} {
  const { db, log, policies, seals } = ctx
  const { publicUrl, databaseUrl, developmentSignIn: isDevelopment } = config
  const slack = connectSlack({ config, environment, policies })
  const settings = { db, publicUrl, isDevelopment, environment, slack, push: { ctx, key: pushKey } }
  undo.use(
    new ChannelRelay({
      db,
      databaseUrl,
      seals,
      log,
      policies,
      channelsOf: (policy) => channelsOf(policy, settings),
    }),
  )
  const signInMails = undo.use(new SignInMails({ ctx, publicUrl, environment }))
  undo.use(repeatMailRounds({ db, seals, log, policies, publicUrl }))
  return { slackWorkspace: slack.workspace, signInMails }
}

export interface ChannelSettings {
  readonly db: Db
  /** the address in links */
  readonly publicUrl: string
  readonly isDevelopment: boolean
  /** the environment, for secrets */
  readonly environment: Environment
  readonly slack: Pick<SlackConnection, 'clientOf'>
  readonly push: Pick<PushChannelOptions, 'key'> & { readonly ctx: SigningSystemContext }
}

/**
 * Every channel that a policy configures, one for each of `configuredEndpoints`, that of programs'
 * callbacks, and that of people's own devices.
 */
function channelsOf(policy: Policy, settings: ChannelSettings): readonly NotificationChannel[] {
  const { webhooks, slack, email } = policy.config
  const { allow, endpoints } = webhooks
  const { db, publicUrl } = settings
  const { seals } = settings.push.ctx
  const client = settings.slack.clientOf(policy)
  const { isDevelopment } = settings
  return [
    callbackChannel({
      db,
      seals,
      allow,
      isDevelopment,
      deployments: {
        ctx: settings.push.ctx,
        publicUrl,
        secretOf: (variable) => settings.environment[variable],
      },
    }),
    pushChannel({ ...settings.push, times: sessionTimes, publicUrl, allow, isDevelopment }),
    ...[...endpoints.values()].map((endpoint) =>
      webhookChannel({ endpoint, allow, seals, ...settings }),
    ),
    ...(slack === null ? [] : [slackChannel({ db, seals, settings: slack, client, publicUrl })]),
    ...(email === null ? [] : [emailChannel({ settings: email, seals, ...settings })]),
  ]
}

interface SlackConnection {
  /** A client of the policy's workspace; `null` without one, or without its token. */
  clientOf(policy: Policy): SlackClient | null
  /** The workspace of the policy in force; `null` without its token or signing secret. */
  workspace(): Promise<SlackWorkspace | null>
}

/** Slack by the policy in force and the environment; a token is never used after its policy. */
function connectSlack(options: {
  readonly config: {
    readonly publicUrl: string
    readonly developmentSignIn: boolean
    readonly slackUrl: string | null
  }
  readonly environment: Environment
  readonly policies: PolicyReader
}): SlackConnection {
  const { config, environment, policies } = options
  let cached: { readonly digest: string; readonly client: SlackClient | null } | null = null
  const clientOf = (policy: Policy): SlackClient | null => {
    if (cached?.digest === policy.digest) return cached.client
    const { slack, webhooks } = policy.config
    const token = slack === null ? '' : (environment[slack.tokenFrom] ?? '')
    const client =
      slack === null || token === ''
        ? null
        : new SlackClient({
            token,
            team: slack.team,
            url: config.slackUrl ?? usualSlackUrl,
            allow: webhooks.allow,
            isDevelopment: config.developmentSignIn,
          })
    cached = { digest: policy.digest, client }
    return client
  }
  return {
    clientOf,
    workspace: async () => {
      const policy = await policies.inForce()
      const { slack } = policy.config
      const client = clientOf(policy)
      const signingSecret = slack === null ? '' : (environment[slack.signingSecretFrom] ?? '')
      if (slack === null || client === null || signingSecret === '') return null
      return { team: slack.team, client, signingSecret, publicUrl: config.publicUrl }
    },
  }
}
