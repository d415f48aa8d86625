import type { LoggedEvent } from '../findings/logged-event.ts'

/** An execution's right: a permit's subject or a grant's, and the event of its use. */
export interface UsedRight {
  readonly digest: string | null
  readonly event: LoggedEvent
}
