import { z } from 'zod'

export const healthy = z.object({
  status: z.literal('ok').describe('Always `ok`: the process answers'),
})

/** The readiness of each part. The status is `503` if one is not ready. */
export const readiness = z
  .object({
    ready: z.boolean().describe('Whether Postgres and Temporal answer'),
    checks: z
      .object({
        postgres: z.boolean().describe('Whether Postgres answers'),
        temporal: z.boolean().describe('Whether Temporal answers'),
        relayLagMs: z
          .number()
          .describe('Age in milliseconds of the oldest outbox row that is not delivered'),
        eventLagMs: z
          .number()
          .describe('Age in milliseconds of the oldest event of the live stream without a number'),
        auditLagMs: z
          .number()
          .describe('Age in milliseconds of the oldest event that no checkpoint covers'),
        clockOffsetMs: z
          .number()
          .optional()
          .describe(
            "Milliseconds by which the host's clock is ahead of the database's; absent: Postgres does not answer",
          ),
        witnessLagMs: z
          .number()
          .optional()
          .describe(
            'Age in milliseconds of the oldest checkpoint that a witness has not cosigned; absent: there are no witnesses',
          ),
      })
      .describe('The state of each part'),
    problems: z
      .array(z.string())
      .describe('Problems as sentences; a process that is ready can have some too'),
  })
  .meta({ id: 'Readiness' })
export type Readiness = z.infer<typeof readiness>
