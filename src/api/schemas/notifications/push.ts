import { z } from 'zod'
import { id, instant, text, wholeListOf } from '../common.ts'

const endpoint = text(2000).min(1).describe('Address of the push service for this subscription')
const example = 'https://push.example.net/wpush/v2/gAAAAABm'
const publicKey =
  'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'

/** The result of a browser's `PushSubscription.toJSON()`. */
export const pushSubscriptionBody = z
  .strictObject({
    endpoint,
    expirationTime: z
      .number()
      .nullable()
      .optional()
      .describe('When the push service ends the subscription, in milliseconds since 1970'),
    keys: z
      .strictObject({
        p256dh: text(200).describe('Public key of the browser, in base64url'),
        auth: text(100).describe('Secret that the messages are encrypted with, in base64url'),
      })
      .describe('The keys of the browser (RFC 8291)'),
  })
  .meta({
    examples: [
      {
        endpoint: example,
        expirationTime: null,
        keys: { p256dh: publicKey, auth: 'BTBZMqHH6r4Tts7J_aSIgg' },
      },
    ],
  })

/** One of the caller's devices; without a field, the devices of the current session. */
export const pushRemovalBody = z
  .strictObject({ endpoint: endpoint.optional(), id: id.optional() })
  .meta({ examples: [{ endpoint: example }] })

export const pushSubscription = z
  .object({
    id,
    endpoint: z.string().describe('Address of the push service for this subscription'),
    device: z
      .string()
      .describe('Browser and system as the client stated them, such as `Firefox on Linux`'),
    current: z.boolean().describe('Whether it belongs to the session of the call'),
    createdAt: instant,
  })
  .meta({ id: 'PushSubscription' })
export type PushSubscriptionView = z.infer<typeof pushSubscription>

export const pushSubscriptionList = wholeListOf(pushSubscription).extend({
  publicKey: z
    .string()
    .describe('The public key for which browsers subscribe, base64url (RFC 8292)'),
})

export const pushRemoved = z.object({
  removed: z.int().nonnegative().describe('The number of devices that were removed'),
})

export const pushTest = z
  .object({
    accepted: z.boolean().describe('Whether the push service accepted the message'),
    problem: z.string().nullable().describe('Why it did not; null: it did'),
  })
  .meta({ id: 'PushTest', examples: [{ accepted: true, problem: null }] })
