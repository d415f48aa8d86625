import { z } from 'zod'
import { id, instant, text } from '../common.ts'

export const slackLink = z
  .object({
    id,
    /** id of the workspace */
    team: z.string(),
    /** id of the user there */
    userId: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'SlackLink' })
export type SlackLinkView = z.infer<typeof slackLink>
export const slackLinkList = z.object({
  /** whether the policy in force names a workspace */
  configured: z.boolean(),
  items: z.array(slackLink),
})
export type SlackLinkList = z.infer<typeof slackLinkList>
export const slackCodeBody = z.strictObject({ code: text(200).min(1) })
export const slackUnlinked = z.object({ removed: z.literal(true) })
