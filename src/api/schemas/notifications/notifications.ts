import { z } from 'zod'
import { id, instant, text } from '../common.ts'
import { streamEvents } from '#domain/channels/stream-event.ts'
import { emailChoices } from '#domain/channels/email.ts'
import { pushedRequests } from '#domain/channels/push-choice.ts'

const emailChoice = z.enum(emailChoices)

/** As clocks show it: `22:00`. */
const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time, such as 22:00')

const pushChoice = z.strictObject({
  /** of those that one may decide */
  requests: z.enum(pushedRequests),
  /** also the end of requests that one started */
  ended: z.boolean(),
  /** what comes then is pushed afterwards; null: at any time */
  quiet: z
    .strictObject({
      from: timeOfDay,
      to: timeOfDay,
      timeZone: text(100).refine(isTimeZone, 'is not a time zone, such as Europe/Berlin'),
    })
    .nullable(),
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
    /** also of what others decided, or ended otherwise */
    ended: z.boolean(),
    /** what is pushed to one's devices; absent: as it was */
    push: pushChoice.optional(),
  })
  .meta({ examples: [{ choice: 'digest', ended: false }] })

export const notificationChoice = z
  .object({
    email: z.object({
      address: z.string(),
      /** false: this service sends no mail */
      available: z.boolean(),
      choice: emailChoice,
      /** also of what others decided, or ended otherwise */
      ended: z.boolean(),
      /** what who has not chosen gets */
      usual: emailChoice,
      isUsual: z.boolean(),
      /**
       * when digests come: a time of day with its zone, or every so many seconds; null where there
       * is no mail
       */
      digest: z
        .union([
          z.object({ at: z.string(), timeZone: z.string() }),
          z.object({ everySeconds: z.int() }),
        ])
        .nullable(),
    }),
    push: pushChoice,
  })
  .meta({ id: 'NotificationChoice' })
export type NotificationChoice = z.infer<typeof notificationChoice>

/** Types of the live stream; `data:` is the ids of what changed. The reader fetches again. */
export const streamEventType = z.enum(streamEvents)
export type StreamEventName = z.infer<typeof streamEventType>

export const streamEventData = z
  .object({ requestId: z.uuid().optional(), runId: z.uuid().optional() })
  .meta({ id: 'StreamEventData' })
export type StreamEventData = z.infer<typeof streamEventData>

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
export const slackCodeBody = z
  .strictObject({ code: text(200).min(1) })
  .meta({ examples: [{ code: 'the code in the message in Slack' }] })
export const slackUnlinked = z.object({ removed: z.literal(true) })
