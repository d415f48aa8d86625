const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const mostMs = 3650 * unitMs.d

/** Milliseconds of `90s`, `15m`, `4h` or `7d`; `null` for anything else, zero, and more than ten years. */
export function parseDuration(text: string): number | null {
  const match = /^([1-9]\d{0,8})([smhd])$/.exec(text)
  if (match === null) return null
  const ms = Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
  return ms <= mostMs ? ms : null
}
