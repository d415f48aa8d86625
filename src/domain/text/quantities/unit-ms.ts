/** Milliseconds of the units in which people write durations: `90s`, `15m`, `4h`, `7d`. */
export const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
