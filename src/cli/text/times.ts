import { relativeTime } from '#domain/text/quantities/durations.ts'

/** A moment relative to now, such as "in 3 hours" or "2 days ago". */
export function fromNow(instant: string): string {
  return relativeTime(Date.parse(instant), Date.now())
}
