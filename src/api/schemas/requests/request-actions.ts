import { z } from 'zod'
import { settlementThens } from '#domain/requests/request.ts'
import { id, instant, json, reason, text, maskedValue } from '../common.ts'
import { commentAnchor, requestState } from './request-parts.ts'
import { limits } from '#domain/limits.ts'
import * as example from '../examples.ts'

/** Changing a call: revision + 1, an empty tally, decided by its new digest (product.md 11). */
export const revisionBody = z
  .strictObject({
    input: z.record(z.string(), json),
    digest: text(200).nullish(),
    revision: z.int().min(1),
    reason: reason.optional(),
  })
  .meta({
    examples: [
      {
        input: { ...example.input, content: '# Notes of 1.2\n' },
        digest: example.digest,
        revision: 1,
      },
    ],
  })

export const commentBody = z
  .strictObject({
    text: text(limits.reasonCharacters).min(1),
    /** a line that it is about: then it reaches the agent with a denial */
    anchor: commentAnchor.optional(),
  })
  .meta({
    examples: [
      {
        text: 'Is this for 1.2 or for 1.3?',
        anchor: { file: example.path, side: 'new', line: 1 },
      },
    ],
  })
export const editCommentBody = z
  .strictObject({ text: text(limits.reasonCharacters).min(1) })
  .meta({ examples: [{ text: 'Is this for 1.2?' }] })
export const revokeBody = z
  .strictObject({ reason: reason.min(1) })
  .meta({ examples: [{ reason: 'The release was called off' }] })
export const extendBody = z
  .strictObject({ expiresAt: instant })
  .meta({ examples: [{ expiresAt: '2026-03-06T09:30:00.000Z' }] })

/** A masked value of a revision. */
export const revealBody = maskedValue
  .extend({ revision: z.int().min(1) })
  .meta({ examples: [{ kind: 'Countersign API key', characters: 63, revision: 1 }] })

/** An answer to a question; where the question offers choices, one of them. */
export const answerBody = z
  .strictObject({ text: text(limits.reasonCharacters).min(1) })
  .meta({ examples: [{ text: '1.2' }] })
export const answered = z
  .object({
    requestId: id,
    decisionId: id,
    state: z.literal('approved'),
  })
  .meta({
    examples: [{ requestId: example.requestId, decisionId: example.decisionId, state: 'approved' }],
  })

/**
 * What a person found out about a call whose outcome is unknown; `again` only with `ran: false`.
 */
export const settleBody = z
  .strictObject({
    ran: z.union([z.literal(true), z.literal(false), z.null()]),
    then: z.enum(settlementThens),
    reason: reason.min(1),
  })
  .refine((body) => body.then !== 'again' || body.ran === false, {
    path: ['then'],
    message: '"again" needs ran: false',
  })
  .meta({ examples: [{ ran: false, then: 'again', reason: 'The file is not there' }] })
export const settled = z.object({ requestId: id, decisionId: id, state: requestState }).meta({
  examples: [{ requestId: example.requestId, decisionId: example.decisionId, state: 'approved' }],
})
export const extended = z
  .object({ requestId: id, expiresAt: instant })
  .meta({ examples: [{ requestId: example.requestId, expiresAt: '2026-03-06T09:30:00.000Z' }] })
export const removed = z
  .object({ removed: z.literal(true) })
  .meta({ examples: [{ removed: true }] })
export const released = z
  .object({ released: z.literal(true) })
  .meta({ examples: [{ released: true }] })
