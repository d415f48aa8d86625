import { ChannelRelay } from '../../delivery/channels/channel-relay.ts'
import { MailRounds } from '../../delivery/email/mail-rounds.ts'
import { SignInMails } from '../../delivery/email/sign-in-mails.ts'
import type { SlackWorkspace } from '../../delivery/slack/slack-identity.ts'
import type { SigningContext } from '../../services/context.ts'
import type { Config } from '../config.ts'
import type { Environment } from '../environment.ts'
import { channelsOf } from './channels-of.ts'
import { connectSlack } from './connect-slack.ts'

/**
 * Begins what tells people and programs outside of the dashboard: the channels of the policy in force, the rounds of mail, and
 * mails with sign-in links. `undo` ends it. Answers what the HTTP API needs of it.
 */
export function tellPeople(
  undo: AsyncDisposableStack,
  { ctx, config, environment }: { ctx: SigningContext; config: Config; environment: Environment },
): {
  readonly slackWorkspace: () => Promise<SlackWorkspace | null>
  readonly signInMails: SignInMails
} {
  const { db, log, policies } = ctx
  const { publicUrl, databaseUrl, developmentSignIn: isDevelopment } = config
  const slack = connectSlack({ config, environment, policies })
  const settings = { db, publicUrl, isDevelopment, environment, slack }
  undo.use(
    new ChannelRelay({
      db,
      databaseUrl,
      log,
      policies,
      channelsOf: (policy) => channelsOf(policy, settings),
    }),
  )
  const signInMails = undo.use(new SignInMails({ ctx, publicUrl, environment }))
  undo.use(new MailRounds({ db, log, policies, publicUrl }))
  return { slackWorkspace: slack.workspace, signInMails }
}
