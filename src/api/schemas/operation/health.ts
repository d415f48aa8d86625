import { z } from 'zod'

export const healthy = z.object({ status: z.literal('ok') })

/** Each part on its own; `503` when one is not ready. */
export const readiness = z
  .object({
    ready: z.boolean(),
    checks: z.object({
      postgres: z.boolean(),
      temporal: z.boolean(),
      /** age in milliseconds of the oldest outbox row that is not delivered */
      relayLagMs: z.number(),
      /** age in milliseconds of the oldest event of the live stream without a number */
      eventLagMs: z.number(),
      /** age in milliseconds of the oldest event that no checkpoint covers */
      auditLagMs: z.number(),
      /**
       * age in milliseconds of the oldest checkpoint that a witness did not cosign; absent: there
       * are no witnesses
       */
      witnessLagMs: z.number().optional(),
    }),
    /** what is wrong, as sentences; also of a process that is ready */
    problems: z.array(z.string()),
  })
  .meta({ id: 'Readiness' })
export type Readiness = z.infer<typeof readiness>
