import { z } from 'zod'
import { settlementThens } from '#domain/requests/request.ts'
import {
  acknowledgementOf,
  digestRequired,
  id,
  instant,
  json,
  maskedValue,
  reason,
  text,
} from '../common.ts'
import { commentAnchor } from './comments.ts'
import { requestState } from './request-parts.ts'
import { limits } from '#domain/limits.ts'
import * as example from '../examples.ts'

/** A changed call. It gets a new revision and digest, and all votes start again (product.md 11). */
export const revisionBody = z
  .strictObject({
    input: z.record(z.string(), json).describe('The changed input of the call'),
    digest: text(200).nullish().describe('Digest of the revision that the editor saw'),
    revision: z.int().min(1).describe('The revision that the editor saw'),
    reason: reason.optional().describe('Why the call was changed'),
  })
  .meta({
    ...digestRequired,
    examples: [
      {
        input: { ...example.input, content: '# Notes of 1.2\n' },
        digest: example.digest,
        revision: 1,
      },
    ],
  })

const commentText = text(limits.reasonCharacters)
  .min(1)
  .describe(`At most ${limits.reasonCharacters} characters`)

export const commentBody = z
  .strictObject({
    text: commentText,
    anchor: commentAnchor
      .optional()
      .describe('The line that the comment is about; with a denial, the agent reads it'),
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
  .strictObject({ text: commentText })
  .meta({ examples: [{ text: 'Is this for 1.2?' }] })
export const revokeBody = z
  .strictObject({ reason: reason.min(1).describe('Why the call may not run after all') })
  .meta({ examples: [{ reason: 'The release was called off' }] })
export const extendBody = z
  .strictObject({
    expiresAt: instant.describe('The new end, later than the present one and within ten years'),
  })
  .meta({ examples: [{ expiresAt: '2026-03-06T09:30:00.000Z' }] })

export const revealBody = maskedValue
  .extend({ revision: z.int().min(1).describe('The revision that has the value') })
  .meta({ examples: [{ kind: 'Countersign API key', characters: 63, revision: 1 }] })

export const answerBody = z
  .strictObject({ text: commentText.describe('The answer; with choices, one of them') })
  .meta({ examples: [{ text: '1.2' }] })
export const answered = z
  .object({
    requestId: id,
    decisionId: id,
    state: z.literal('approved').describe('Always `approved`: the answer went to the run'),
  })
  .meta({
    examples: [{ requestId: example.requestId, decisionId: example.decisionId, state: 'approved' }],
  })

/** What a person found out about a call with an unknown outcome; `again` needs `ran: false`. */
export const settleBody = z
  .strictObject({
    ran: z
      .union([z.literal(true), z.literal(false), z.null()], 'must be true, false or null')
      .describe('Whether the call had its effect; null: that cannot be known'),
    then: z
      .enum(settlementThens)
      .describe('What follows; `again` issues the call once more and needs `ran: false`'),
    reason: reason.min(1).describe('How the person knows it'),
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
  .object({ requestId: id, expiresAt: instant.describe('When it expires now') })
  .meta({ examples: [{ requestId: example.requestId, expiresAt: '2026-03-06T09:30:00.000Z' }] })
export const released = acknowledgementOf('released')
