import { z } from 'zod'
import { address, id, instant, text, wholeListOf } from '../common.ts'
import { liveEvents } from '#domain/channels/stream-event.ts'
import { emailChoices } from '#domain/channels/email.ts'
import { pushedRequests } from '#domain/channels/push-choice.ts'

const emailChoice = z
  .enum(emailChoices)
  .describe('`atOnce`: a mail for each event; `digest`: one for all that wait; `nothing`: no mail')

const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time, such as 22:00')
  .describe('A time of day, such as `22:00`')

const zoneName = 'IANA name of a time zone, such as `Europe/Berlin`'

const pushChoice = z.strictObject({
  requests: z
    .enum(pushedRequests)
    .describe('Which requests are pushed, of those that the caller may decide'),
  ended: z.boolean().describe('Whether the end of a request that the caller started is pushed too'),
  quiet: z
    .strictObject({
      from: timeOfDay,
      to: timeOfDay.describe('Earlier than `from`: on the next day'),
      timeZone: text(100)
        .refine(isTimeZone, 'is not a time zone, such as Europe/Berlin')
        .describe(zoneName),
    })
    .nullable()
    .describe('Daily hours in which nothing is pushed; it is pushed afterwards. null: none'),
})

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

export const mailChoiceBody = z
  .strictObject({
    choice: emailChoice,
    ended: z
      .boolean()
      .describe('Whether to mail also about requests that others decided or that ended otherwise'),
    push: pushChoice
      .optional()
      .describe('What is pushed to the caller’s devices; absent: unchanged'),
  })
  .meta({ examples: [{ choice: 'digest', ended: false }] })

export const notificationChoice = z
  .object({
    email: z
      .object({
        address,
        available: z.boolean().describe('Whether this service sends mail'),
        choice: emailChoice,
        ended: z
          .boolean()
          .describe(
            'Whether to mail also about requests that others decided or that ended otherwise',
          ),
        usual: emailChoice.describe('The setting of people who have not chosen one'),
        isUsual: z.boolean().describe('Whether the person has not chosen, so that `usual` applies'),
        digest: z
          .union([
            z.object({ at: timeOfDay, timeZone: z.string().describe(zoneName) }),
            z.object({ everySeconds: z.int().describe('Seconds from one digest to the next') }),
          ])
          .nullable()
          .describe(
            'When digests are sent: at a time of day in a time zone, or every so many seconds; null: no mail is sent',
          ),
      })
      .describe('What the caller is mailed'),
    push: pushChoice.describe('What is pushed to the caller’s devices'),
  })
  .meta({ id: 'NotificationChoice' })
export type NotificationChoice = z.infer<typeof notificationChoice>

/** Types of events of the live stream. `data:` has ids of changed objects. */
export const streamEventType = z.enum(liveEvents)
export type StreamEventName = z.infer<typeof streamEventType>

export const streamEventData = z
  .object({ requestId: z.uuid().optional(), runId: z.uuid().optional() })
  .meta({ id: 'StreamEventData' })
export type StreamEventData = z.infer<typeof streamEventData>

export const slackLink = z
  .object({
    id,
    team: z.string().describe('Id of the workspace in Slack'),
    userId: z.string().describe('Id of the user in Slack'),
    createdAt: instant,
  })
  .meta({ id: 'SlackLink' })
export type SlackLinkView = z.infer<typeof slackLink>
export const slackLinkList = wholeListOf(slackLink).extend({
  configured: z.boolean().describe('Whether the policy in force names a workspace'),
})
export const slackCodeBody = z
  .strictObject({ code: text(200).min(1).describe('The code that Slack showed, which works once') })
  .meta({ examples: [{ code: 'the code in the message in Slack' }] })
