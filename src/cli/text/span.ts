const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of a span as people write it: `90s`, `15m`, `4h`, `7d`; `null` for anything else. */
export function parseSpan(text: string): number | null {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text)
  return match === null ? null : Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
}
