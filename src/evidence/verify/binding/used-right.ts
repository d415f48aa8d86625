import type { LoggedEvent } from '../findings/logged-event.ts'

/**
 * The right that an execution used, a permit's or one use of a grant: its subject and its event.
 */
export interface UsedRight {
  readonly digest: string | null
  readonly event: LoggedEvent
}
