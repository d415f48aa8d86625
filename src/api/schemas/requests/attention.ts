import { z } from 'zod'
import { displayName, id, instant, queueName, shortNumber, toolName } from '../common.ts'
import * as example from '../examples.ts'
import { count, insightsQuery, numbers, period } from './insights.ts'
import { callTitle } from './request-parts.ts'

const firstTitle = callTitle.describe('The title of the newest of the requests')

const foundItems = <Item extends z.ZodType>(item: Item) =>
  z.object({
    count: count.describe('The number in the period'),
    items: z.array(item).describe('At most 20'),
  })

export const attentionQuery = insightsQuery.omit({ by: true })

export const attention = z
  .object({
    ...period,
    days: z
      .array(
        z.object({
          day: z.iso.date().describe('The day, in UTC'),
          opened: count.describe('Requests that were opened on that day'),
          approved: count.describe('Those of them that were approved'),
          denied: count.describe('Those of them that were denied'),
          expired: count.describe('Those of them that expired'),
          waiting: count.describe('Those of them that are still pending'),
        }),
      )
      .describe('For each day in UTC: the requests that were opened, and their outcomes'),
    fastApprovals: foundItems(
      z.object({
        person: z.object({ id, name: displayName }).describe('Who approved'),
        at: instant.describe('When they approved'),
        seconds: count.describe(
          'Seconds since the request was shown, or since the person’s approval before',
        ),
        readSeconds: count.describe('The least number of seconds that reading takes'),
        title: firstTitle,
        requests: numbers.describe('The requests that one action approved, newest first'),
      }),
    ).describe('Approvals that were faster than reading at 50 characters a second, newest first'),
    expiredUnseen: foundItems(
      z.object({
        number: shortNumber,
        title: callTitle,
        queue: queueName,
        openedAt: instant.describe('When it was opened'),
        expiredAt: instant.describe('When it expired'),
      }),
    ).describe(
      'Expired requests that nobody had voted on, claimed, commented or handed over, newest first',
    ),
    askedTwice: foundItems(
      z.object({
        tool: toolName,
        title: firstTitle,
        times: count.describe('How often the call was requested'),
        approved: count.describe('How often it was approved'),
        denied: count.describe('How often it was denied'),
        requests: numbers.describe('The requests, newest first'),
      }),
    ).describe('The same tool with the same input in several requests, most frequent first'),
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
