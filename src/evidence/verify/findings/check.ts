import type { LoggedEvent } from './logged-event.ts'

/** One pass over the events, in the log's order, for one verdict. It does not store the events. */
export interface Check {
  take(event: LoggedEvent): void
  /** after the last event */
  end(): void
}

/** The requests and runs with all their events: all of a log, or those of a bundle. */
export interface Extent {
  /** `true`: every event of the log is present */
  readonly isWhole: boolean
  /** ids of the requests with all their events; all of a whole log's */
  readonly requestIds: ReadonlySet<string>
}

/** Whether all events of this request are present. */
export function isCovered(extent: Extent, requestId: string): boolean {
  return extent.isWhole || extent.requestIds.has(requestId)
}
