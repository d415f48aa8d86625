import { z } from 'zod'
import { id, instant, json, reason, text } from '../common.ts'
import { requestState } from './requests.ts'
import { maskedValue } from '../masked-value.ts'
import { limits } from '../../../domain/limits.ts'

/** Changing a call: revision + 1, an empty tally, decided by its new digest (product.md 11). */
export const revisionBody = z.strictObject({
  input: z.record(z.string(), json),
  digest: text(200).nullish(),
  revision: z.int().min(1),
  reason: reason.optional(),
})

export const commentBody = z.strictObject({ text: text(limits.reasonCharacters).min(1) })
export const revokeBody = z.strictObject({ reason: reason.min(1) })
export const extendBody = z.strictObject({ expiresAt: instant })

/** A masked value of a revision. */
export const revealBody = maskedValue.extend({ revision: z.int().min(1) })

/** An answer to a question; where the question offers choices, one of them. */
export const answerBody = z.strictObject({ text: text(limits.reasonCharacters).min(1) })
export const answered = z.object({
  requestId: id,
  decisionId: id,
  state: z.literal('approved'),
})

/** What a person found out about a call whose outcome is unknown; `again` only with `ran: false`. */
export const settleBody = z
  .strictObject({
    ran: z.union([z.literal(true), z.literal(false), z.null()]),
    then: z.enum(['continue', 'again', 'stop']),
    reason: reason.min(1),
  })
  .refine((body) => body.then !== 'again' || body.ran === false, {
    path: ['then'],
    message: '"again" needs ran: false',
  })
export const settled = z.object({ requestId: id, decisionId: id, state: requestState })
export const extended = z.object({ requestId: id, expiresAt: instant })
export const released = z.object({ released: z.literal(true) })
