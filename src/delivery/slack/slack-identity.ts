import type { ServiceContext } from '#services/core/context.ts'
import { offerSlackLink } from '#services/channels/slack/offer-slack-link.ts'
import {
  refuseSlackUser,
  type SlackRefusal,
  findSlackPerson,
  type SlackPerson,
} from '#services/channels/slack/slack-person.ts'
import type { SlackClient } from './slack-client.ts'

/** A Slack workspace that is configured and has a token. */
export interface SlackWorkspace {
  readonly team: string
  readonly client: SlackClient
  /** verifies what Slack sends */
  readonly signingSecret: string
  readonly publicUrl: string
}

/** Slack waits three seconds for an answer. */
export const slackTimeoutMs = 2000

/**
 * The person behind a Slack user, or why there is none. `link`: the page where a signed-in person
 * confirms who they are.
 */
export type SlackIdentity =
  | { readonly person: SlackPerson }
  | { readonly person: null; readonly sentence: string; readonly link: string | null }

/**
 * Identifies a Slack user. They must be a current member of the pinned workspace, linked by the
 * person themselves, and have the person's verified address there. Slack is called every time;
 * names do not count. Records each refusal. Rejects with `SlackFailure`.
 */
export async function identifySlackUser(
  ctx: ServiceContext,
  workspace: SlackWorkspace,
  user: { readonly id: string; readonly team: string | null },
): Promise<SlackIdentity> {
  const { team, client, publicUrl } = workspace
  const refuse = async (why: SlackRefusal, sentence: string): Promise<SlackIdentity> => {
    await refuseSlackUser(ctx, { team: user.team ?? '', userId: user.id, why })
    return { person: null, sentence, link: null }
  }
  if (user.team !== team) {
    return refuse('other_workspace', 'Only people of the workspace itself decide here.')
  }
  const slackUser = await client.user(user.id, { timeoutMs: slackTimeoutMs })
  if (!slackUser.isMember || slackUser.email === null) {
    return refuse(
      'not_a_member',
      'Bots, guests and people without a verified address do not decide.',
    )
  }
  const person = await findSlackPerson(ctx, { team, userId: user.id })
  if (person !== null) {
    if (person.email === slackUser.email) return { person }
    return refuse(
      'other_address',
      'Your address in Slack is not the one that you were linked with: unlink Slack on your account page, and link it again.',
    )
  }
  const code = await offerSlackLink(ctx, { team, userId: user.id, email: slackUser.email })
  return {
    person: null,
    sentence: 'Link your account once: open your account page, sign in, and confirm the link.',
    link: `${publicUrl}/account#slack=${code}`,
  }
}
