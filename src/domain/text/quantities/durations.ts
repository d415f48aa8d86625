const unitsMs = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 } as const

/** Made at its first use: it costs 10 ms, which most processes and pages do not need. */
let relative: Intl.RelativeTimeFormat | null = null

/**
 * A time relative to now: "3 hours ago", "in 42 minutes", "just now". Uses the largest unit that
 * fits, rounded towards now. Pure.
 */
export function relativeTime(instantMs: number, nowMs: number): string {
  const distance = instantMs - nowMs
  for (const unit of ['day', 'hour', 'minute'] as const) {
    const count = Math.trunc(distance / unitsMs[unit])
    if (count === 0) continue
    relative ??= new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' })
    return relative.format(count, unit)
  }
  return distance >= 0 ? 'in under a minute' : 'just now'
}

/**
 * A duration in few characters: "850 ms", "90 s", "42 min", "36 h", "2 d". Uses the largest unit of
 * which the duration has at least two, and never rounds up. Pure.
 */
export function shortDuration(ms: number): string {
  const { day, hour, minute, second } = unitsMs
  const [size, name] =
    ms >= 2 * day
      ? [day, 'd']
      : ms >= 2 * hour
        ? [hour, 'h']
        : ms >= 2 * minute
          ? [minute, 'min']
          : ms >= second
            ? [second, 's']
            : [1, 'ms']
  return `${Math.trunc(ms / size)} ${name}`
}

/** A duration for a display that is not updated each second: it is never in seconds. Pure. */
export function coarseDuration(ms: number): string {
  const { minute } = unitsMs
  if (ms < minute) return 'under 1 min'
  return ms < 2 * minute ? '1 min' : shortDuration(ms)
}
