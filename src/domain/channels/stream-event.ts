/**
 * Events of the live stream (api.md), which webhooks can get too: ids only, the reader fetches the
 * rest.
 */
export const streamEvents = [
  'request.opened',
  'request.changed',
  'request.decided',
  'request.closed',
  // it has waited as long as its queue says; with `request.escalated`, more people may decide it
  // now
  'request.reminded',
  'request.escalated',
  'run.changed',
] as const
export type StreamEventType = (typeof streamEvents)[number]

/** The events that people get by mail, and endpoints that name no events. */
export const usualEvents = [
  'request.opened',
  'request.decided',
  'request.closed',
  'request.reminded',
  'request.escalated',
] as const satisfies readonly StreamEventType[]
