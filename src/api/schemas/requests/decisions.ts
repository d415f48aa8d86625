import { z } from 'zod'
import { limits } from '../../../domain/limits.ts'
import { id, instant, reason, requestRef, text } from '../common.ts'
import { assertion, assertionOptions } from '../access/credentials.ts'
import { scope } from '../policy/grants.ts'
import { execution, quorum, requestState } from './requests.ts'

/** Bounds of a grant wider than `once` (product.md 10). */
const grantBounds = z.strictObject({
  uses: z.int().min(1).max(1_000_000).optional(),
  expiresAt: instant.optional(),
})

/** Any text: one that is not the current digest is stale, and an absent one is `428 digest_required`. */
const digest = text(200).nullish()

const approval = z.strictObject({
  decision: z.literal('approve'),
  digest,
  revision: z.int().min(1).optional(),
  scope: scope.optional(),
  reason: reason.optional(),
  /** high risk: `presentation.digest`, once all of it was on the screen (security.md 15) */
  seen: text(200).optional(),
  /** where a signature is required: what a passkey made of the options of `POST /v1/requests/:id/challenge` */
  assertion: assertion.optional(),
  grant: grantBounds.optional(),
})

const denial = z.strictObject({
  decision: z.literal('deny'),
  digest,
  revision: z.int().min(1).optional(),
  then: z.enum(['continue', 'stop']).optional(),
  reason: reason.optional(),
  seen: text(200).optional(),
  assertion: assertion.optional(),
})

/** Only these literal values decide; `true`, `1`, `"yes"` are refused (product.md 6). */
export const decisionBody = z.discriminatedUnion('decision', [approval, denial], {
  error: (issue) =>
    issue.code === 'invalid_union' ? 'must be "approve" or "deny"' : 'must be an object',
})
export type DecisionBody = z.infer<typeof decisionBody>

/** What a person signs to decide (audit.md, Approver's signature): the challenge is SHA-256 of its canonical JSON. */
const decisionStatement = z
  .object({
    version: z.literal(1),
    origin: z.string(),
    requestId: id,
    revision: z.int(),
    digest: z.string(),
    policyDigest: z.string(),
    decision: z.enum(['approve', 'deny']),
    /** of the salted reason, the same as in the decision's event */
    reasonHash: z.string().nullable(),
    personId: id,
    issuedAt: instant,
    nonce: z.string(),
  })
  .meta({ id: 'DecisionStatement' })

export const challenge = z
  .object({ options: assertionOptions, statement: decisionStatement, expiresAt: instant })
  .meta({ id: 'SigningChallenge' })
export type SigningChallenge = z.infer<typeof challenge>

/** How far a decision has come: durable in Postgres, known to Temporal, then the execution's own state. */
export const stage = z.enum([
  'recorded',
  'delivered',
  'started',
  'succeeded',
  'failed',
  'refused',
  'unknown',
])

export const decisionAnswer = z
  .object({
    requestId: id,
    decisionId: id,
    state: requestState,
    stage,
    quorum,
    execution,
  })
  .meta({ id: 'DecisionAnswer' })
export type DecisionAnswer = z.infer<typeof decisionAnswer>

export const bulkDecisionsBody = z.strictObject({
  decisions: z
    .array(
      z.discriminatedUnion('decision', [
        approval.omit({ assertion: true }).extend({ requestId: requestRef }),
        denial.omit({ assertion: true }).extend({ requestId: requestRef }),
      ]),
    )
    .min(1)
    .max(limits.bulkDecisions),
})

/** Each judged alone: `status` and `code` are what the single decision would have been answered with. */
export const bulkAnswer = z
  .object({
    batchDecisionId: id,
    items: z.array(
      z.looseObject({
        requestId: z.string(),
        status: z.int(),
        code: z.string().optional(),
        detail: z.string().optional(),
        decisionId: id.optional(),
        state: requestState.optional(),
        stage: stage.optional(),
      }),
    ),
  })
  .meta({ id: 'BulkAnswer' })
export type BulkAnswer = z.infer<typeof bulkAnswer>
