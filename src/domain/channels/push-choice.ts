/** Which of the requests that somebody may decide are pushed to them. */
export const pushedRequests = ['all', 'high', 'none'] as const
export type PushedRequests = (typeof pushedRequests)[number]

/** A time of each day in which nothing is pushed, as clocks of a zone show it: `22:00`. */
export interface QuietHours {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}
