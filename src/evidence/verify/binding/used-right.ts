import type { LoggedEvent } from '../findings/logged-event.ts'

/**
 * The right that an execution used, a permit's or one use of a grant: for what, and the event that
 * says so.
 */
export interface UsedRight {
  readonly digest: string | null
  readonly event: LoggedEvent
}
