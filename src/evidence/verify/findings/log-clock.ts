import type { LoggedEvent } from './logged-event.ts'

/** How much earlier than a previous one an event's time may be: its transaction may commit late. */
const maxClockErrorMs = 10 * 60_000
/** How long before the first event of a log its clock is assumed to have been right. */
const dayMs = 24 * 60 * 60_000

/** A time in which the clock of the service was ahead, until it went back. */
export interface AheadOfTime {
  readonly first: LoggedEvent
  readonly last: LoggedEvent
  readonly entries: number
  /** the event that came after the clock had gone back */
  readonly next: LoggedEvent
  /** the least by which the clock was ahead */
  readonly aheadMs: number
}

/** The order of an event's time and those before it. */
export type EventOrder =
  | { readonly type: 'inOrder' }
  | { readonly type: 'wentBack'; readonly ahead: AheadOfTime }
  | { readonly type: 'late'; readonly newest: LoggedEvent }

/** A place where the time goes forward by more than the usual distance of events. */
interface ClockJump {
  readonly to: LoggedEvent
  readonly fromMs: number
  /** the number of events before it */
  readonly position: number
}

/**
 * The time of the log, event by event. If an event has a much earlier time than the events before
 * it, it was inserted later, unless the clock had been ahead and was set back. In that case an
 * earlier jump forward is at least as large as the step back. A pause of the service looks the
 * same, so an event that is inserted soon after a long pause, with a time in it, counts as such a
 * clock.
 */
export class LogClock {
  #newest: LoggedEvent | null = null
  #count = 0
  readonly #leaps: ClockJump[] = []

  /** The newest event by its time, on the present clock. */
  get newest(): LoggedEvent | null {
    return this.#newest
  }

  take(event: LoggedEvent): EventOrder {
    const position = this.#count
    this.#count += 1
    const newest = this.#newest
    if (newest === null) {
      if (Number.isNaN(event.atMs)) return { type: 'inOrder' }
      this.#goTo(event, event.atMs - dayMs, position)
      return { type: 'inOrder' }
    }
    if (event.atMs >= newest.atMs) {
      this.#goTo(event, newest.atMs, position)
      return { type: 'inOrder' }
    }
    if (!(event.atMs < newest.atMs - maxClockErrorMs)) return { type: 'inOrder' }
    const leap = this.#leapBehind(event, newest)
    if (leap === null) return { type: 'late', newest }
    while (this.#leaps.at(-1) !== leap) this.#leaps.pop()
    this.#leaps.pop()
    this.#goTo(event, leap.fromMs, position)
    const aheadMs = newest.atMs - event.atMs
    const entries = position - leap.position
    return {
      type: 'wentBack',
      ahead: { first: leap.to, last: newest, entries, next: event, aheadMs },
    }
  }

  #goTo(event: LoggedEvent, fromMs: number, position: number): void {
    if (event.atMs > fromMs + maxClockErrorMs) this.#leaps.push({ to: event, fromMs, position })
    this.#newest = event
  }

  /**
   * The jump forward that explains an event with an earlier time: it begins before that time, and
   * is at least as large as the step back.
   */
  #leapBehind(event: LoggedEvent, newest: LoggedEvent): ClockJump | null {
    const at = this.#firstLeapAfter(event.atMs)
    // Jumps are so far apart that only two of them can begin where the event may still be.
    for (const leap of this.#leaps.slice(at, at + 2)) {
      const goesOn = event.atMs >= leap.fromMs - maxClockErrorMs
      const isWide = leap.to.atMs - leap.fromMs >= newest.atMs - event.atMs - maxClockErrorMs
      if (goesOn && isWide) return leap
    }
    return null
  }

  #firstLeapAfter(atMs: number): number {
    let [low, high] = [0, this.#leaps.length]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.#leaps[middle]?.to.atMs ?? 0) > atMs) high = middle
      else low = middle + 1
    }
    return low
  }
}
