import type { LoggedEvent } from './logged-event.ts'

/**
 * One pass over the events, in the log's order: what a verdict is judged by, without keeping the
 * events.
 */
export interface Check {
  take(event: LoggedEvent): void
  /** after the last event */
  end(): void
}

/**
 * Which requests and runs are there as a whole: all of a log's, or those that a bundle is about.
 */
export interface Extent {
  /** `true`: every event of the log is given */
  readonly whole: boolean
  /** ids of the requests whose events are all given; of a whole log all are */
  readonly requestIds: ReadonlySet<string>
}

/** Whether all events of this request are given. */
export function isCovered(extent: Extent, requestId: string): boolean {
  return extent.whole || extent.requestIds.has(requestId)
}
