/** Which of the requests that somebody may decide are pushed to them. */
export const pushedRequests = ['all', 'high', 'none'] as const
export type PushedRequests = (typeof pushedRequests)[number]

/** A time of each day without push messages, in the local time of a zone: `22:00`. */
export interface QuietHours {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}
