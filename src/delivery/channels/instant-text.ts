/**
 * An instant to the minute, such as `2026-11-22 10:00 UTC`. Nobody knows the time zone of who reads
 * a notification. Pure.
 */
export function instantText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
