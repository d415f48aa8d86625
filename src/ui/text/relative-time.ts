const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' })

/**
 * A relative time: "3 hours ago", "in 42 minutes", "just now". Uses the largest unit that fits,
 * rounded towards now. Pure.
 */
export function relativeTime(instantMs: number, nowMs: number): string {
  const distance = instantMs - nowMs
  for (const [unit, lengthMs] of units) {
    if (Math.abs(distance) >= lengthMs)
      return relative.format(Math.trunc(distance / lengthMs), unit)
  }
  return distance >= 0 ? 'in under a minute' : 'just now'
}

/** A short duration: "3 h", "42 min", "2 d". Pure. */
export function shortSpan(spanMs: number): string {
  const span = Math.abs(spanMs)
  if (span >= 2 * 86_400_000) return `${Math.trunc(span / 86_400_000)} d`
  if (span >= 3_600_000) return `${Math.trunc(span / 3_600_000)} h`
  return `${Math.max(1, Math.trunc(span / 60_000))} min`
}
