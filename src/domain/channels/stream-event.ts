/**
 * What the live stream tells of (api.md), and what webhooks may be told of: ids only, the reader
 * fetches again.
 */
export const streamEvents = [
  'request.opened',
  'request.changed',
  'request.decided',
  'request.closed',
  // it has waited as long as its queue says: with the next, more people may decide it now
  'request.reminded',
  'request.escalated',
  'run.changed',
] as const
export type StreamEventType = (typeof streamEvents)[number]

/**
 * What people would want to hear of: what they are mailed, and what an endpoint that names no
 * events is told.
 */
export const usualEvents = [
  'request.opened',
  'request.decided',
  'request.closed',
  'request.reminded',
  'request.escalated',
] as const satisfies readonly StreamEventType[]
