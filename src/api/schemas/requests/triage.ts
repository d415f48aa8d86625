import { z } from 'zod'
import { id, instant, text } from '../common.ts'
import * as example from '../examples.ts'
import { handedTo } from './request-parts.ts'

/** `until: null` ends it. */
export const snoozeBody = z
  .strictObject({ until: instant.nullable() })
  .meta({ examples: [{ until: '2026-03-03T08:00:00.000Z' }] })
export const snoozed = z.object({ requestId: id, snoozedUntil: instant.nullable() }).meta({
  examples: [{ requestId: example.requestId, snoozedUntil: '2026-03-03T08:00:00.000Z' }],
})

/** `to`: an e-mail address or an id. */
export const handOverBody = z
  .strictObject({ to: text(320).min(1) })
  .meta({ examples: [{ to: example.gracesAddress }] })
export const handedOver = z.object({ requestId: z.string(), handedTo }).meta({
  examples: [
    {
      requestId: example.requestId,
      handedTo: { person: example.grace, by: example.ada, at: example.askedAt },
    },
  ],
})

/** How many people are told. */
export const nudged = z.object({ told: z.int() }).meta({ examples: [{ told: 2 }] })
