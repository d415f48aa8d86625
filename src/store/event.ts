import type { JsonObject } from '../domain/json.ts'
import type { StreamEventType } from '../domain/stream-event.ts'

/** An event for the stream. One writer numbers it after commit, so replay skips nothing. */
export interface StreamEvent {
  readonly type: StreamEventType
  readonly subject: JsonObject
}
