import { z } from 'zod'
import { id, instant, text } from '../common.ts'

const endpoint = text(2000).min(1)
const example = 'https://push.example.net/wpush/v2/gAAAAABm'
const publicKey =
  'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'

/** What a browser's `PushSubscription.toJSON()` gives. */
export const pushSubscriptionBody = z
  .strictObject({
    endpoint,
    /** by when the push service ends it; it says so itself then */
    expirationTime: z.number().nullable().optional(),
    keys: z.strictObject({ p256dh: text(200), auth: text(100) }),
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

/** Which of one's devices; without a field those of the session that asks. */
export const pushRemovalBody = z
  .strictObject({ endpoint: endpoint.optional(), id: id.optional() })
  .meta({ examples: [{ endpoint: example }] })

export const pushSubscription = z
  .object({
    id,
    endpoint: z.string(),
    /** where, in a few words, as the browser claimed: `Firefox on Linux` */
    device: z.string(),
    /** it belongs to the session that asks */
    current: z.boolean(),
    createdAt: instant,
  })
  .meta({ id: 'PushSubscription' })
export type PushSubscriptionView = z.infer<typeof pushSubscription>

export const pushSubscriptionList = z.object({
  /** the key that browsers subscribe for, base64url (RFC 8292) */
  publicKey: z.string(),
  items: z.array(pushSubscription),
})

/** How many were ended. */
export const pushRemoved = z.object({ removed: z.int().nonnegative() })
