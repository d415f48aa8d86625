import { z } from 'zod'
import { streamEvents } from '../../../domain/stream-event.ts'

/** Types of the live stream; `data:` is the ids of what changed. The reader fetches again. */
export const streamEventType = z.enum(streamEvents)
export type StreamEventName = z.infer<typeof streamEventType>

export const streamEventData = z
  .object({ requestId: z.uuid().optional(), runId: z.uuid().optional() })
  .meta({ id: 'StreamEventData' })
export type StreamEventData = z.infer<typeof streamEventData>
