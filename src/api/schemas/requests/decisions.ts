import { z } from 'zod'
import { decisionStages } from '#domain/requests/request.ts'
import { limits } from '#domain/limits.ts'
import { id, instant, reason, requestRef, text, problemCode } from '../common.ts'
import { assertion, assertionOptions } from '../access/credentials.ts'
import { scope } from '../policy/grants.ts'
import { execution, quorum, requestState } from './request-parts.ts'
import * as example from '../examples.ts'

/** Limits of a grant with a scope wider than `once` (product.md 10). */
const grantBounds = z.strictObject({
  uses: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('How many calls it covers; absent: any number'),
  expiresAt: instant.optional().describe('When it ends; absent: with the root run'),
})

/** The verb judges it: another text than the current digest is stale, none `digest_required`. */
const digest = text(200).describe('Digest of the revision that was on the screen')

const decidedRevision = z.int().min(1).describe('The revision that was on the screen')
const verb = z.enum(['approve', 'deny'])

const approval = z.strictObject({
  decision: z.literal('approve').describe('Approves the call'),
  digest,
  revision: decidedRevision,
  scope: scope.optional().describe('How far the approval goes; default: `once`'),
  reason: reason.optional().describe('For colleagues and the trail; required at high risk'),
  seen: text(200)
    .optional()
    .describe(
      '`presentation.digest`, which states that all of it was on the screen; needed at high risk, and in `POST /v1/decisions` at any risk',
    ),
  assertion: assertion
    .optional()
    .describe(
      'If a signature is required: what a passkey made of the options of `POST /v1/requests/:id/challenge`',
    ),
  grant: grantBounds.optional().describe('Limits of a scope wider than `once`'),
  again: z
    .literal(true)
    .optional()
    .describe(
      'Confirms that the same call runs once more; needed at high risk if `alike.again` is not 0',
    ),
})

const denial = z.strictObject({
  decision: z.literal('deny').describe('Denies the call'),
  digest,
  revision: decidedRevision,
  then: z
    .enum(['continue', 'stop'])
    .optional()
    .describe(
      'What the run does: `continue` (default): the model reads the denial; `stop`: the run rests or ends',
    ),
  reason: reason.optional().describe('For the model and colleagues; required at high risk'),
  seen: text(200).optional().describe('As with an approval; a denial does not need it'),
  assertion: assertion.optional().describe('As with an approval; a denial does not need it'),
})

/** Only these literal values are accepted; `true`, `1` and `"yes"` are refused (product.md 6). */
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
 * The statement that a person signs (audit.md, Approver's signature). The challenge is SHA-256 of
 * its canonical JSON.
 */
const decisionStatement = z
  .object({
    version: z.literal(1).describe('Version of this format'),
    origin: z.string().describe('Origin of the page that asked for the signature'),
    requestId: id,
    revision: z.int().describe('The revision that is decided'),
    digest: z.string().describe('Digest of the revision that is decided'),
    policyDigest: z.string().describe('Digest of the version of the policy that judged the call'),
    decision: verb.describe('The decision that is signed'),
    scope: scope.optional().describe('How far the approval goes; absent: `once`'),
    grant: z
      .object({
        uses: z.int().nullable().describe('How many calls it covers; `null`: any number'),
        expiresAt: instant.nullable().describe('When it ends; `null`: with the root run'),
      })
      .optional()
      .describe('Limits of a scope wider than `once`; absent: none'),
    then: z
      .enum(['continue', 'stop'])
      .optional()
      .describe('What the run does after a denial; absent: `continue`'),
    reasonHash: z
      .string()
      .nullable()
      .describe('Hash of the salted reason, as in the event of the decision'),
    personId: id.describe('Id of the person who decides'),
    issuedAt: instant.describe('When the statement was made'),
    nonce: z.string().describe('Random, so that a signature fits one statement only'),
  })
  .meta({ id: 'DecisionStatement' })

export const challenge = z
  .object({
    options: assertionOptions.describe('For `navigator.credentials.get`'),
    statement: decisionStatement.describe('What the signature covers, through its challenge'),
    expiresAt: instant.describe('Until when a signature is accepted'),
  })
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

const stage = z
  .enum(decisionStages)
  .describe(
    '`recorded`: stored, also in the original answer that a repeated call gets; `delivered`: the run knows it; the others: the state of the execution. With `Prefer: wait=1`, always the present stage',
  )

export const decisionAnswer = z
  .object({
    requestId: id,
    decisionId: id,
    state: requestState,
    stage,
    quorum: quorum.describe('The approvals that the request needs, and those it has'),
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

/** The turn of a run whose requests are decided as a change set (product.md 40). */
export const turnRef = z.strictObject({
  runId: id,
  turn: z.int().describe('Number of the turn, from 1'),
})

export const bulkDecisionsBody = z
  .strictObject({
    turn: turnRef
      .optional()
      .describe(
        'States that all decisions are about this turn; they may differ and are judged in the order of the calls',
      ),
    decisions: z
      .array(
        z.discriminatedUnion('decision', [
          approval.omit({ assertion: true }).extend({ requestId: requestRef }),
          denial.omit({ assertion: true }).extend({ requestId: requestRef }),
        ]),
      )
      .min(1)
      .max(limits.bulkDecisions)
      .describe(`At most ${limits.bulkDecisions}, each of another request`),
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

/** The result of each decision; `status` and `code` are those of the single operation. */
export const bulkAnswer = z
  .object({
    batchDecisionId: id.describe('The same id in all decisions that were sent together'),
    items: z
      .array(
        z.looseObject({
          requestId: z.string().describe('As the body has it: an id or a number'),
          status: z.int().describe('The HTTP status that a single decision would have'),
          code: problemCode
            .optional()
            .describe('The code of a refusal; absent: the decision is recorded'),
          detail: z.string().optional().describe('The refusal as a sentence'),
          decisionId: id.optional().describe('Absent: the decision was refused'),
          state: requestState.optional(),
          stage: stage.optional(),
        }),
      )
      .describe('The result of each decision, in the order of the body'),
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
