import type { JsonObject } from '../domain/json.ts'

/** Types of the live stream (api.md): ids only, the reader fetches again. */
export type StreamEventType =
  | 'request.opened'
  | 'request.changed'
  | 'request.decided'
  | 'request.closed'
  | 'request.reminded'
  | 'request.escalated'
  | 'run.changed'

/** An event for the stream. One writer numbers it after commit, so replay skips nothing. */
export interface StreamEvent {
  readonly type: StreamEventType
  readonly subject: JsonObject
}
