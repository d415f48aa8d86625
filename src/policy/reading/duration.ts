import { unitMs } from '#domain/text/quantities/unit-ms.ts'

/** Ten years: the longest duration of a setting, and the latest deadline of a request. */
export const longestMs = 3650 * unitMs.d

/** Milliseconds as they are written: `4h`, `3d`, `90s`. */
export function durationText(ms: number): string {
  for (const unit of ['d', 'h', 'm'] as const) {
    if (ms % unitMs[unit] === 0) return `${ms / unitMs[unit]}${unit}`
  }
  return `${ms / 1000}s`
}

/** Milliseconds of `90s`, `15m`, `4h`, `7d`; `null`: zero, over ten years, anything else. */
export function parseDuration(text: string): number | null {
  const match = /^([1-9]\d{0,8})([smhd])$/.exec(text)
  if (match === null) return null
  const ms = Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
  return ms <= longestMs ? ms : null
}
