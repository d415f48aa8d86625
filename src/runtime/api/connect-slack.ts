import { SlackClient, usualSlackUrl } from '#delivery/slack/slack-client.ts'
import type { SlackWorkspace } from '#delivery/slack/slack-identity.ts'
import type { Policy } from '#policy/policy.ts'
import type { PolicyReader } from '#services/core/context.ts'

export interface SlackConnection {
  /** A client of the policy's workspace; `null` without one, or without its token. */
  clientOf(policy: Policy): SlackClient | null
  /** The workspace of the policy in force; `null` without its token or signing secret. */
  workspace(): Promise<SlackWorkspace | null>
}

/** Slack by the policy in force and the environment; a token is never used after its policy. */
export function connectSlack(options: {
  readonly config: {
    readonly publicUrl: string
    readonly developmentSignIn: boolean
    readonly slackUrl: string | null
  }
  readonly environment: Readonly<Record<string, string | undefined>>
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
