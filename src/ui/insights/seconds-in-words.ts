import { shortDuration } from '#domain/text/quantities/durations.ts'

/** A figure in whole seconds as a duration; `–`: there is none. Pure. */
export function secondsInWords(seconds: number | null): string {
  if (seconds === null) return '–'
  return seconds < 1 ? 'under 1 s' : shortDuration(seconds * 1_000)
}

/** What comes after "half" or "nine of ten": "within 3 min", or "in under 1 s". Pure. */
export function withinInWords(seconds: number): string {
  return `${seconds < 1 ? 'in' : 'within'} ${secondsInWords(seconds)}`
}
