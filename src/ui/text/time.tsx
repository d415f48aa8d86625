import { useSyncExternalStore } from 'react'
import { relativeTime, shortSpan } from './relative-time.ts'

const listeners = new Set<() => void>()
let nowMs = Date.now()
setInterval(() => {
  nowMs = Date.now()
  for (const listener of listeners) listener()
}, 20_000)

function subscribe(listener: () => void): () => void {
  // What appears now is not measured against a clock that stood still for a while.
  nowMs = Date.now()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The page's clock, moving every 20 seconds. */
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

/** An instant in the viewer's zone, whole. */
export function absoluteTime(at: string): string {
  return absolute.format(new Date(at))
}

/** Day and time to the second, in the viewer's zone. */
export function preciseTime(at: string): string {
  return precise.format(new Date(at))
}

/** Hours and minutes in the viewer's zone. */
export function clockTime(at: string): string {
  return clock.format(new Date(at))
}

/** An instant relative to now; the absolute one, in the viewer's zone, on hover. */
export function Time({ at, short }: { at: string; short?: boolean }) {
  const now = useNowMs()
  const instantMs = Date.parse(at)
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {short ? shortSpan(instantMs - now) : relativeTime(instantMs, now)}
    </time>
  )
}
