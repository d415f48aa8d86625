import { useSyncExternalStore } from 'react'
import { newListeners } from '#domain/listeners.ts'
import { coarseDuration, relativeTime } from '#domain/text/quantities/durations.ts'

const listeners = newListeners()
let nowMs = Date.now()
setInterval(() => {
  nowMs = Date.now()
  listeners.notify()
}, 20_000)

function subscribe(listener: () => void): () => void {
  // A new component must not use the time at which the clock stopped.
  nowMs = Date.now()
  return listeners.subscribe(listener)
}

/** The current time of the page, updated every 20 seconds. */
export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => nowMs)
}

const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const precise = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** An instant as date and time in the viewer's time zone. */
export function absoluteTime(at: string): string {
  return absolute.format(new Date(at))
}

/** An instant as date and time to the second, in the viewer's time zone. */
export function preciseTime(at: string): string {
  return precise.format(new Date(at))
}

/** An instant as hours and minutes in the viewer's time zone. */
export function clockTime(at: string): string {
  return clock.format(new Date(at))
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayOfYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})

/**
 * An instant after "since" or "until": the time of today, else the day and the time, with another
 * year than this. Hovering shows the absolute time.
 */
export function Moment({ at }: { at: string }) {
  const [instant, now] = [new Date(at), new Date(useNowMs())]
  const isToday = instant.toDateString() === now.toDateString()
  const days = instant.getFullYear() === now.getFullYear() ? day : dayOfYear
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {isToday ? clockTime(at) : `${days.format(instant)}, ${clockTime(at)}`}
    </time>
  )
}

/** An instant relative to now. Hovering shows the absolute time in the viewer's time zone. */
export function Time({ at }: { at: string }) {
  const now = useNowMs()
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime(Date.parse(at), now)}
    </time>
  )
}

/** The time since an instant in few characters, which no time left looks like: "12 min ago". */
export function Age({ at }: { at: string }) {
  const ageMs = useNowMs() - Date.parse(at)
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {ageMs < 60_000 ? (
        relativeTime(0, ageMs)
      ) : (
        <>
          {coarseDuration(ageMs)}
          <span className="ago"> ago</span>
        </>
      )}
    </time>
  )
}

/** The time until a deadline, or that it has passed. */
export function TimeLeft({ at }: { at: string }) {
  const leftMs = Date.parse(at) - useNowMs()
  if (leftMs <= 0) return 'expired'
  return (
    <>
      <time dateTime={at} title={absoluteTime(at)}>
        {coarseDuration(leftMs)}
      </time>{' '}
      left
    </>
  )
}
