import { z } from 'zod'
import { instant, listOf } from '../common.ts'

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
).meta({ id: 'Queues' })
export type QueueList = z.infer<typeof queueList>
