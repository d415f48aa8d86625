import { z } from 'zod'
import { parseDuration } from '#policy/reading/duration.ts'
import { instant } from '../common.ts'

/** A duration in the form of countersign.yaml, such as `90d`. Parsed to milliseconds. */
const duration = z
  .string()
  .refine((text) => parseDuration(text) !== null, 'must be like 90s, 15m, 4h or 7d')
  .transform((text) => parseDuration(text) ?? 0)

/** Retention rules to use instead of those in force. */
export const retentionQuery = z.strictObject({
  transcripts: duration.optional().describe('Such as `90d`; default: the rule in force'),
  records: duration.optional().describe('Such as `90d`; default: the rule in force'),
})

export const archiveQuery = z.strictObject({
  before: instant.describe('Runs that ended before this time'),
})

const ageRule = z.string().describe('The age from which it is removed, such as `90d`')

/** What retention would remove. A member is null if its rule is not set: nothing is removed. */
export const retentionPreview = z
  .object({
    transcripts: z
      .object({
        rule: ageRule,
        runs: z.int().describe('Runs whose transcripts would be removed'),
      })
      .nullable()
      .describe('What runs said and returned; null: nothing is removed'),
    records: z
      .object({
        rule: ageRule,
        outbox: z
          .int()
          .describe(
            'Messages to Temporal: delivered signals of decisions, and what cannot be delivered',
          ),
        events: z.int().describe('Events of the live stream'),
        deliveries: z.int().describe('Notifications that were delivered or given up'),
        idempotencyKeys: z.int().describe('Answers that are kept for repeated calls'),
        sessions: z.int().describe('Sessions that have ended'),
        signInLinks: z.int().describe('Sign-in links that were used or have ended'),
      })
      .nullable()
      .describe('Rows that nothing needs any more; null: nothing is removed'),
  })
  .meta({ id: 'RetentionPreview' })
export type RetentionPreviewView = z.infer<typeof retentionPreview>
