/** Events of the live stream (api.md) and of webhooks: ids only, the reader fetches the rest. */
export const streamEvents = [
  'request.opened',
  'request.changed',
  'request.decided',
  'request.closed',
  // a reminder: the request has waited as long as its queue says; with `request.escalated`, more
  // people may decide it now
  'request.reminded',
  'request.escalated',
  // a colleague is asked to look at it: one an hour for each colleague
  'request.handed_over',
  'run.changed',
] as const

/**
 * Events of the live stream. `policy.changed` has no ids: everybody fetches again what they may do
 * and who may decide. It is for open pages only, and webhooks do not get it.
 */
export const liveEvents = [...streamEvents, 'policy.changed'] as const
export type StreamEventType = (typeof liveEvents)[number]

/** The events of endpoints that name none. */
export const usualEvents = [
  'request.opened',
  'request.decided',
  'request.closed',
  'request.reminded',
  'request.escalated',
] as const satisfies readonly StreamEventType[]

/** The events that people get by mail and push. */
export const peopleEvents = [
  ...usualEvents,
  'request.handed_over',
] as const satisfies readonly StreamEventType[]

/** Whether an event is the end of a request, decided or not. */
export function isEndOfRequest({ type }: { readonly type: string }): boolean {
  return type === 'request.decided' || type === 'request.closed'
}
