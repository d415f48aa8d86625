import { z } from 'zod'
import { parseDuration } from '#policy/reading/duration.ts'
import { instant } from '../common.ts'

/** `90d`, as countersign.yaml writes it; in milliseconds behind the schema. */
const duration = z
  .string()
  .refine((text) => parseDuration(text) !== null, 'must be like 90s, 15m, 4h or 7d')
  .transform((text) => parseDuration(text) ?? 0)

/** A rule to try in place of the one in force. */
export const retentionQuery = z.strictObject({
  transcripts: duration.optional(),
  records: duration.optional(),
})

export const archiveQuery = z.strictObject({ before: instant })

const count = z.int()

/** null: that rule is not set, and everything of it is kept */
export const retentionPreview = z
  .object({
    transcripts: z.object({ rule: z.string(), runs: count }).nullable(),
    records: z
      .object({
        rule: z.string(),
        outbox: count,
        events: count,
        deliveries: count,
        idempotencyKeys: count,
        sessions: count,
        signInLinks: count,
      })
      .nullable(),
  })
  .meta({ id: 'RetentionPreview' })
export type RetentionPreviewView = z.infer<typeof retentionPreview>
