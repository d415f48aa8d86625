import { z } from 'zod'
import { firstSteps } from '#domain/first-step.ts'
import { insightKeys } from '#domain/insight-key.ts'
import { id, instant } from '../common.ts'
import * as example from '../examples.ts'

export const insightsQuery = z.strictObject({
  /** 30 days before `to` when absent; 92 at most */
  from: instant.optional(),
  /** now when absent */
  to: instant.optional(),
  by: z.enum(insightKeys).default('queue'),
})

const count = z.int().nonnegative()
const seconds = z.int().nonnegative().nullable()

export const insight = z
  .object({
    /** by person the id, by rule its id; `''`: programs that name no worker */
    key: z.string(),
    name: z.string(),
    /** within the time; by person: those that this person voted on */
    opened: count,
    approved: count,
    denied: count,
    expired: count,
    carriedOut: count,
    failed: count,
    /** calls that ran on what these approvals let pass, without asking again */
    grantsUsed: count,
    /** from opening to deciding; null: none was decided */
    medianSeconds: seconds,
    p90Seconds: seconds,
    /** pending now, whenever they were opened */
    waiting: count,
    /** when the oldest of those was opened */
    oldestAt: instant.nullable(),
  })
  .meta({ id: 'Insight' })
export type InsightView = z.infer<typeof insight>

export const insights = z
  .object({ from: instant, to: instant, by: z.enum(insightKeys), items: z.array(insight) })
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
            oldestAt: example.askedAt,
          },
        ],
      },
    ],
  })

const numbers = z.array(z.int().positive())

const found = <Item extends z.ZodType>(item: Item) =>
  z.object({
    /** all there are in the time */
    count,
    /** 20 at most */
    items: z.array(item),
  })

export const attentionQuery = insightsQuery.omit({ by: true })

export const attention = z
  .object({
    from: instant,
    to: instant,
    /** each day of UTC that the time touches: what was opened on it, and what became of that */
    days: z.array(
      z.object({
        day: z.iso.date(),
        opened: count,
        approved: count,
        denied: count,
        expired: count,
        waiting: count,
      }),
    ),
    /** approved faster than it can be read, at 50 characters a second; newest first */
    fastApprovals: found(
      z.object({
        person: z.object({ id, name: z.string() }),
        at: instant,
        /** since it was shown, or since this person's approval before it */
        seconds: count,
        /** what reading it takes at the least */
        readSeconds: count,
        title: z.string(),
        /** of one action, newest first */
        requests: numbers,
      }),
    ),
    /** expired, and nobody had voted on, claimed, discussed or handed it over; newest first */
    expiredUnseen: found(
      z.object({
        number: z.int().positive(),
        title: z.string(),
        queue: z.string(),
        openedAt: instant,
        expiredAt: instant,
      }),
    ),
    /** the same tool with the same input, asked for more than once; the most frequent first */
    askedTwice: found(
      z.object({
        tool: z.string(),
        title: z.string(),
        times: count,
        approved: count,
        denied: count,
        requests: numbers,
      }),
    ),
  })
  .meta({
    id: 'InsightAttention',
    examples: [
      {
        from: '2026-03-02T00:00:00.000Z',
        to: '2026-03-03T00:00:00.000Z',
        days: [{ day: '2026-03-02', opened: 4, approved: 2, denied: 0, expired: 1, waiting: 1 }],
        fastApprovals: {
          count: 1,
          items: [
            {
              person: example.grace,
              at: example.askedAt,
              seconds: 3,
              readSeconds: 41,
              title: 'Edit notes/1.2.md',
              requests: [142],
            },
          ],
        },
        expiredUnseen: {
          count: 1,
          items: [
            {
              number: 139,
              title: 'Edit notes/1.1.md',
              queue: 'platform',
              openedAt: '2026-03-02T08:00:00.000Z',
              expiredAt: '2026-03-02T12:00:00.000Z',
            },
          ],
        },
        askedTwice: {
          count: 1,
          items: [
            {
              tool: 'write_file',
              title: 'Edit notes/1.2.md',
              times: 2,
              approved: 1,
              denied: 1,
              requests: [142, 140],
            },
          ],
        },
      },
    ],
  })

export type AttentionView = z.infer<typeof attention>

export const ruleProposal = z
  .object({
    id: z.string(),
    worker: z.string(),
    rule: z.object({ id: z.string(), text: z.string(), source: z.string().nullable() }),
    /** relative to the project folder */
    file: z.string(),
    /** a unified diff that `git apply` takes in the project folder */
    patch: z.string(),
    /** the last 30 days */
    evidence: z.object({
      asked: count,
      approved: count,
      denied: count,
      medianSeconds: count,
      /** numbers of requests, newest first, 50 at most */
      requests: numbers,
    }),
    replay: z.object({
      /** calls of the worker that people were asked about, judged again under the change */
      calls: count,
      wouldRunAlone: count,
      /** numbers of the requests of those */
      requests: numbers,
      /** why none was judged; null: they were */
      problem: z.string().nullable(),
    }),
  })
  .meta({ id: 'RuleProposal' })
export type RuleProposalView = z.infer<typeof ruleProposal>
export const ruleProposals = z.object({ items: z.array(ruleProposal) }).meta({
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

export const firstStepList = z.object({
  items: z.array(z.object({ id: z.enum(firstSteps), done: z.boolean() })),
})
