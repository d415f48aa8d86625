import type { Schedule } from '#api/schemas/runs/schedules.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { fromNow } from './times.ts'

/** The times of a schedule that were missed, newest first. */
export function missedText({ count, times }: NonNullable<Schedule['missed']>): string {
  const rest = count - times.length
  const more = rest > 0 ? [`and ${rest} earlier`] : []
  const list = [...times.map((at) => fromNow(at)), ...more].join(', ')
  return `${countWords(count, 'time')} missed in the last 7 days, and nothing makes up for them: ${list}`
}
