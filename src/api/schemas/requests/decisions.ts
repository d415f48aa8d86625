import { z } from 'zod'
import { decisionStages } from '#domain/requests/request.ts'
import { limits } from '#domain/limits.ts'
import { id, instant, reason, requestRef, text, problemCode } from '../common.ts'
import { assertion, assertionOptions } from '../access/credentials.ts'
import { scope } from '../policy/grants.ts'
import { execution, quorum, requestState } from './request-parts.ts'
import * as example from '../examples.ts'

/** Bounds of a grant wider than `once` (product.md 10). */
const grantBounds = z.strictObject({
  uses: z.int().min(1).max(1_000_000).optional(),
  expiresAt: instant.optional(),
})

/**
 * Any text: one that is not the current digest is stale, and an absent one is `428
 * digest_required`.
 */
const digest = text(200).nullish()

const approval = z.strictObject({
  decision: z.literal('approve'),
  digest,
  revision: z.int().min(1).optional(),
  scope: scope.optional(),
  reason: reason.optional(),
  /**
   * `presentation.digest`, once all of it was on the screen: at high risk, and in `POST
   * /v1/decisions` at any (product.md 39)
   */
  seen: text(200).optional(),
  /**
   * where a signature is required: what a passkey made of the options of `POST
   * /v1/requests/:id/challenge`
   */
  assertion: assertion.optional(),
  grant: grantBounds.optional(),
  /** high risk, and `alike.again` is not 0: it is to be carried out once more */
  again: z.literal(true).optional(),
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
export const decisionBody = z
  .discriminatedUnion('decision', [approval, denial], {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'must be "approve" or "deny"' : 'must be an object',
  })
  .meta({
    examples: [
      { decision: 'approve', digest: example.digest, revision: 1, scope: 'once' },
      {
        decision: 'deny',
        digest: example.digest,
        revision: 1,
        then: 'continue',
        reason: 'Use the template',
      },
    ],
  })
export type DecisionBody = z.infer<typeof decisionBody>

/**
 * What a person signs to decide (audit.md, Approver's signature): the challenge is SHA-256 of its
 * canonical JSON.
 */
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
  .meta({
    id: 'SigningChallenge',
    examples: [
      {
        options: {
          challenge: 'wXyJ0kq1m3o5s7u9',
          rpId: 'countersign.example.com',
          userVerification: 'required',
        },
        statement: {
          version: 1,
          origin: 'https://countersign.example.com',
          requestId: example.requestId,
          revision: 1,
          digest: example.digest,
          policyDigest: example.otherDigest,
          decision: 'approve',
          reasonHash: null,
          personId: example.grace.id,
          issuedAt: example.askedAt,
          nonce: 'pL4n7QyT2c9x',
        },
        expiresAt: '2026-03-02T09:35:00.000Z',
      },
    ],
  })

export const stage = z.enum(decisionStages)

export const decisionAnswer = z
  .object({
    requestId: id,
    decisionId: id,
    state: requestState,
    stage,
    quorum,
    execution,
  })
  .meta({
    id: 'DecisionAnswer',
    examples: [
      {
        requestId: example.requestId,
        decisionId: example.decisionId,
        state: 'approved',
        stage: 'recorded',
        quorum: {
          required: [{ team: 'platform', count: 1 }],
          counted: [{ team: 'platform', person: example.grace }],
          missing: [],
          text: '1 of platform',
        },
        execution: { state: 'not_started' },
      },
    ],
  })
export type DecisionAnswer = z.infer<typeof decisionAnswer>

/** One turn of a run, whose requests are decided as a change set (product.md 40). */
export const turnRef = z.strictObject({ runId: id, turn: z.int() })

export const bulkDecisionsBody = z
  .strictObject({
    /**
     * the decisions are about this turn's requests, need not be alike, and are judged in call
     * order
     */
    turn: turnRef.optional(),
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
  .meta({
    examples: [
      {
        turn: { runId: example.runId, turn: 1 },
        decisions: [
          {
            requestId: '142',
            decision: 'approve',
            digest: example.digest,
            revision: 1,
            seen: example.otherDigest,
          },
        ],
      },
    ],
  })

export type BulkDecision = z.infer<typeof bulkDecisionsBody>['decisions'][number]

/**
 * Each judged alone: `status` and `code` are what the single decision would have been answered
 * with.
 */
export const bulkAnswer = z
  .object({
    batchDecisionId: id,
    items: z.array(
      z.looseObject({
        requestId: z.string(),
        status: z.int(),
        code: problemCode.optional(),
        detail: z.string().optional(),
        decisionId: id.optional(),
        state: requestState.optional(),
        stage: stage.optional(),
      }),
    ),
  })
  .meta({
    id: 'BulkAnswer',
    examples: [
      {
        batchDecisionId: example.otherId,
        items: [
          {
            requestId: '142',
            status: 200,
            decisionId: example.decisionId,
            state: 'approved',
            stage: 'recorded',
          },
        ],
      },
    ],
  })
export type BulkItem = z.infer<typeof bulkAnswer>['items'][number]
export type BulkAnswer = z.infer<typeof bulkAnswer>
