import { z } from 'zod'

const emailChoice = z.enum(['atOnce', 'digest', 'nothing'])

export const mailChoiceBody = z.strictObject({
  choice: emailChoice,
  /** also of what others decided, or ended otherwise */
  ended: z.boolean(),
})

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
      /** when digests come: a time of day with its zone, or every so many seconds; null where there is no mail */
      digest: z
        .union([
          z.object({ at: z.string(), timeZone: z.string() }),
          z.object({ everySeconds: z.int() }),
        ])
        .nullable(),
    }),
  })
  .meta({ id: 'NotificationChoice' })
export type NotificationChoice = z.infer<typeof notificationChoice>
