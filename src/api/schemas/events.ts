import { z } from 'zod'

/** Types of the live stream; `data:` is the ids of what changed. The reader fetches again. */
export const streamEventType = z.enum([
  'request.opened',
  'request.changed',
  'request.decided',
  'request.closed',
  // it has waited as long as its queue says: with the next, more people may decide it now
  'request.reminded',
  'request.escalated',
  'run.changed',
])
export type StreamEventName = z.infer<typeof streamEventType>

export const streamEventData = z
  .object({ requestId: z.uuid().optional(), runId: z.uuid().optional() })
  .meta({ id: 'StreamEventData' })
export type StreamEventData = z.infer<typeof streamEventData>
