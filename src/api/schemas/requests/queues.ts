import { z } from 'zod'
import { instant, listOf, queueName, teamName } from '../common.ts'
import * as example from '../examples.ts'

const queue = z.object({
  name: queueName,
  team: teamName,
  pending: z.int().describe('Requests that are pending'),
  oldestAt: instant
    .nullable()
    .describe('When the oldest pending request was opened; null: there is none'),
  expiringSoon: z.int().describe('Pending requests that expire within four hours'),
  mine: z.int().describe('Pending requests that the caller may decide and has not voted on'),
  nextReturnAt: instant
    .nullable()
    .describe(
      'When the first request that the caller has snoozed counts as theirs again; null: none',
    ),
})
export type QueueView = z.infer<typeof queue>

export const queueList = listOf(queue).meta({
  id: 'Queues',
  examples: [
    {
      items: [
        {
          name: 'platform',
          team: 'platform',
          pending: 1,
          oldestAt: example.askedAt,
          expiringSoon: 0,
          mine: 1,
          nextReturnAt: null,
        },
      ],
      nextCursor: null,
    },
  ],
})
