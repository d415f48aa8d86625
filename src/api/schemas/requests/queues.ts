import { z } from 'zod'
import { instant, listOf } from '../common.ts'
import * as example from '../examples.ts'

export const queueList = listOf(
  z.object({
    name: z.string(),
    team: z.string(),
    pending: z.int(),
    oldestAt: instant.nullable(),
    expiringSoon: z.int(),
    /** pending ones that the caller may decide and has not voted on */
    mine: z.int(),
  }),
).meta({
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
        },
      ],
      nextCursor: null,
    },
  ],
})
