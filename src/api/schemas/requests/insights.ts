import { z } from 'zod'
import { firstSteps } from '#domain/first-step.ts'
import { insightKeys, usageKeys } from '#domain/insight-key.ts'
import type { WaitingAge } from '#domain/waiting-age.ts'
import { instant, wholeListOf, workerName } from '../common.ts'
import { rule } from '../runs/transcript.ts'
import * as example from '../examples.ts'

export const insightsQuery = z.strictObject({
  from: instant
    .optional()
    .describe('Start of the period, at most 92 days before `to`; default: 30 days before `to`'),
  to: instant.optional().describe('End of the period; default: now'),
  by: z.enum(insightKeys).default('queue').describe('What to group the requests by'),
})

export const count = z.int().nonnegative()
const seconds = z.int().nonnegative().nullable()

export const period = {
  from: instant.describe('Start of the period'),
  to: instant.describe('End of the period'),
}

/** Each is named, because OpenAPI gets no properties from a record of a list. */
const countsByAge = {
  hour: count.describe('Up to an hour'),
  day: count.describe('Up to a day'),
  week: count.describe('Up to a week'),
  longer: count.describe('Longer than a week'),
} satisfies Record<WaitingAge, typeof count>

export const insight = z
  .object({
    key: z
      .string()
      .describe('Id of a person or rule, or a name; empty: programs that name no worker'),
    name: z.string().describe('What to call the group: a name, or the text of a rule'),
    opened: count.describe(
      'Requests that were opened in the period; for a person, those that they voted on',
    ),
    approved: count.describe('Those of them that were approved'),
    denied: count.describe('Those of them that were denied'),
    expired: count.describe('Those of them that expired'),
    carriedOut: count.describe('Approved calls that were carried out'),
    failed: count.describe('Approved calls that failed'),
    grantsUsed: count.describe(
      'Calls that ran without a further request because a grant covered them',
    ),
    medianSeconds: seconds.describe('Median time from opening to decision; null: none was decided'),
    p90Seconds: seconds.describe(
      'Nine in ten were decided within this time; null: none was decided',
    ),
    waiting: count.describe('Requests that are pending now, at any age'),
    waitingByAge: z.object(countsByAge).describe('Those by how long they had waited at `to`'),
    oldestAt: instant.nullable().describe('When the oldest of them was opened'),
  })
  .meta({ id: 'Insight' })
export type InsightView = z.infer<typeof insight>

export const insights = z
  .object({
    ...period,
    by: z.enum(insightKeys).describe('What the requests are grouped by'),
    items: z.array(insight).describe('The groups; the list has no pages'),
  })
  .meta({
    id: 'Insights',
    examples: [
      {
        from: '2026-02-01T00:00:00.000Z',
        to: '2026-03-03T00:00:00.000Z',
        by: 'queue',
        items: [
          {
            key: 'platform',
            name: 'platform',
            opened: 42,
            approved: 37,
            denied: 3,
            expired: 0,
            carriedOut: 36,
            failed: 1,
            grantsUsed: 6,
            medianSeconds: 95,
            p90Seconds: 1260,
            waiting: 2,
            waitingByAge: { hour: 1, day: 1, week: 0, longer: 0 },
            oldestAt: example.askedAt,
          },
        ],
      },
    ],
  })

export const usageQuery = insightsQuery.extend({
  by: z
    .enum(usageKeys)
    .default('worker')
    .describe('Whose runs to add up: those of a worker, or of the person who started them'),
})

const tokens = z.number().nonnegative()

export const usage = z
  .object({
    ...period,
    by: z.enum(usageKeys).describe('What the runs are grouped by'),
    items: z
      .array(
        z.object({
          key: z
            .string()
            .describe('Name of the worker, or id of the person; empty: runs that nobody started'),
          name: z.string().describe('Name of the worker or person'),
          runs: count.describe('Runs with a model step in the period'),
          inputTokens: tokens.describe('Tokens of prompts, cached ones included'),
          cachedInputTokens: tokens.describe('The part that providers read from their caches'),
          outputTokens: tokens.describe('Tokens of answers'),
          costUsd: z
            .number()
            .nullable()
            .describe('By the prices when the steps ran; null: their models have no price'),
        }),
      )
      .describe('The groups; the list has no pages'),
  })
  .meta({
    id: 'Usage',
    examples: [
      {
        from: '2026-02-01T00:00:00.000Z',
        to: '2026-03-03T00:00:00.000Z',
        by: 'worker',
        items: [
          {
            key: 'scribe',
            name: 'scribe',
            runs: 12,
            inputTokens: 52_100,
            cachedInputTokens: 40_960,
            outputTokens: 3120,
            costUsd: 0.093,
          },
        ],
      },
    ],
  })
export type UsageView = z.infer<typeof usage>

export const numbers = z.array(z.int().positive())

export const ruleProposal = z
  .object({
    id: z.string().describe('`WORKER/RULE`, which `POST /v1/policy/changes` takes'),
    worker: workerName,
    rule: rule.describe('The rule that asked and was always approved'),
    file: z.string().describe('Path in the project folder'),
    patch: z.string().describe('A unified diff that `git apply` accepts in the project folder'),
    evidence: z
      .object({
        asked: count.describe('How often the rule asked'),
        approved: count.describe('How often people approved'),
        denied: count.describe('How often people denied'),
        medianSeconds: count.describe('Median time from opening to decision'),
        requests: numbers.describe('Numbers of requests, newest first, at most 50'),
      })
      .describe('The last 30 days'),
    replay: z
      .object({
        calls: count.describe('Past calls of the worker that were judged again under the change'),
        wouldRunAlone: count.describe('How many of them would run without an approval'),
        requests: numbers.describe('Numbers of their requests'),
        problem: z.string().nullable().describe('Why no past call was judged; null: they were'),
      })
      .describe('What the change would have done to past calls'),
  })
  .meta({ id: 'RuleProposal' })
export type RuleProposalView = z.infer<typeof ruleProposal>
export const ruleProposals = wholeListOf(ruleProposal).meta({
  examples: [
    {
      items: [
        {
          id: 'release-notes/zone:notes.write',
          worker: example.worker,
          rule: {
            id: 'zone:notes.write',
            text: 'zone notes: write asks',
            source: 'workers/release-notes.md:7',
          },
          file: 'workers/release-notes.md',
          patch:
            '--- a/workers/release-notes.md\n+++ b/workers/release-notes.md\n@@ -6,3 +6,3 @@\n     approval:\n-      write: ask\n+      write: preApproved\n ---\n',
          evidence: {
            asked: 12,
            approved: 12,
            denied: 0,
            medianSeconds: 41,
            requests: [142, 139],
          },
          replay: { calls: 14, wouldRunAlone: 12, requests: [142, 139], problem: null },
        },
      ],
    },
  ],
})

export const firstStepList = wholeListOf(
  z.object({
    id: z
      .enum(firstSteps)
      .describe('Start a run, decide a request, use a key, have another person sign in'),
    done: z.boolean().describe('Whether it was done, as far as the caller can see'),
  }),
)
