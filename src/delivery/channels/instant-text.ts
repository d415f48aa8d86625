/**
 * An instant to the minute, such as `2026-11-22 10:00 UTC`. The time zone of the reader of a
 * notification is not known. Pure.
 */
export function instantText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
