import { z } from 'zod'
import { id, instant, text } from '../common.ts'
import * as example from '../examples.ts'
import { handedTo } from './request-parts.ts'

export const snoozeBody = z
  .strictObject({ until: instant.nullable().describe('null: ends the snooze') })
  .meta({ examples: [{ until: '2026-03-03T08:00:00.000Z' }] })
export const snoozed = z
  .object({ requestId: id, snoozedUntil: instant.nullable().describe('null: it is not snoozed') })
  .meta({
    examples: [{ requestId: example.requestId, snoozedUntil: '2026-03-03T08:00:00.000Z' }],
  })

export const handOverBody = z
  .strictObject({ to: text(320).min(1).describe('E-mail address or id of a colleague') })
  .meta({ examples: [{ to: example.gracesAddress }] })
export const handedOver = z
  .object({ requestId: id, handedTo: handedTo.describe('To whom, by whom and when') })
  .meta({
    examples: [
      {
        requestId: example.requestId,
        handedTo: { person: example.grace, by: example.ada, at: example.askedAt },
      },
    ],
  })

export const nudged = z
  .object({ told: z.int().describe('The number of people who are reminded') })
  .meta({ examples: [{ told: 2 }] })
