import type { Check } from '../findings/check.ts'
import type { Findings } from '../findings/finding.ts'
import type { AheadOfTime, LogClock } from '../findings/log-clock.ts'
import { referenceTo, type LoggedEvent } from '../findings/logged-event.ts'

/**
 * Follows the time: no event has a much earlier time than events before it. A clock that was ahead
 * and went back is one warning, however often and for however many events: the signed order is the
 * log's, not that of the times. A clock that was behind looks like events that were inserted later:
 * consecutive ones are one finding.
 */
export function followTime(findings: Findings, clock: LogClock): Check {
  const ahead: AheadOfTime[] = []
  let late: LateEvents | null = null
  const reportLate = (): void => {
    if (late !== null) findings.fail(problemOf(late), referenceTo(late.first))
    late = null
  }
  return {
    take(event) {
      const dating = clock.take(event)
      if (dating.type === 'wentBack') ahead.push(dating.ahead)
      if (dating.type === 'late') {
        late ??= { first: event, last: event, entries: 0, newest: dating.newest }
        late = { ...late, last: event, entries: late.entries + 1 }
      } else reportLate()
    },
    end() {
      reportLate()
      const [first, last] = [ahead[0], ahead.at(-1)]
      if (first === undefined || last === undefined) return
      const text = first === last ? onceAhead(first) : oftenAhead(first, last, ahead)
      findings.warn('clock', text, referenceTo(first.first))
    },
  }
}

/** Consecutive events in the log, each with a much earlier time than one before all of them. */
interface LateEvents {
  readonly first: LoggedEvent
  readonly last: LoggedEvent
  readonly entries: number
  readonly newest: LoggedEvent
}

function problemOf({ first, last, entries, newest }: LateEvents): string {
  if (entries === 1) {
    const before = `event ${newest.index} before it is of ${newest.at}`
    return `the event is dated ${first.at}, but ${before}: it was put in afterwards`
  }
  return (
    `events ${first.index} to ${last.index} (${entries}) are dated ${first.at} to ${last.at}, but event ${newest.index} ` +
    `before them is of ${newest.at}: they were put in afterwards, or the service's clock was behind`
  )
}

function onceAhead({ first, last, next, entries, aheadMs }: AheadOfTime): string {
  return (
    `the service's clock was ahead by ${duration(aheadMs)} or more: events ${first.index} to ${last.index} (${entries}) ` +
    `are dated ${first.at} to ${last.at}, and event ${next.index} after them ${next.at}`
  )
}

function oftenAhead(
  { first }: AheadOfTime,
  { next }: AheadOfTime,
  ahead: readonly AheadOfTime[],
): string {
  const entries = ahead.reduce((sum, one) => sum + one.entries, 0)
  const maxAheadMs = ahead.reduce((max, one) => Math.max(max, one.aheadMs), 0)
  return (
    `the service's clock was ahead ${ahead.length} times, by up to ${duration(maxAheadMs)} or more, for ${entries} events ` +
    `between event ${first.index}, dated ${first.at}, and event ${next.index}, dated ${next.at}`
  )
}

/** `1 h 5 min`, `3 d 2 h`: whole minutes, two units. */
function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}
