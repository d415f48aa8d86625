import { Cron } from 'croner'
import { errorMessage } from '#domain/error-message.ts'

const fields = /^[0-9A-Za-z*/,-]+( +[0-9A-Za-z*/,-]+){4}$/

/** A cron expression in a time zone. */
export interface CronTimes {
  /** the first time after `from` */
  next(from: Date): Date | null
  /** whether it is one of its times, to the minute */
  has(at: Date): boolean
}

/**
 * Parses five fields of numbers, names, lists, ranges and steps; returns a sentence for an invalid
 * expression, for one that limits both days, which programs read differently, and for an unknown
 * zone.
 */
export function readCron(expression: string, timezone: string): CronTimes | string {
  const text = expression.trim()
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = text.split(/ +/)
  if (!fields.test(text)) return 'does not have five fields, like "0 6 * * 1-5"'
  if (!dayOfMonth.startsWith('*') && !dayOfWeek.startsWith('*')) {
    return 'limits the day of the month and of the week'
  }
  try {
    const cron = new Cron(text, { timezone, paused: true, mode: '5-part' })
    // An unknown zone is detected when a time is computed.
    if (cron.nextRun() === null) return 'has no time in the future'
    return { next: (from) => nextOf(cron, from), has: (at) => cron.match(at) }
  } catch (error) {
    const why = errorMessage(error)
    return `is not a cron expression of the time zone ${timezone} (${why.slice(0, 200)})`
  }
}

/**
 * Where a clock goes forward over a time, `Cron` moves the time to the hour behind. Temporal leaves
 * that day out, and so does this.
 */
function nextOf(cron: Cron, from: Date): Date | null {
  let next = cron.nextRun(from)
  while (next !== null && !cron.match(next)) next = cron.nextRun(next)
  return next
}

/** The times of a valid expression, checked when the configuration was read. */
export function cronTimes({ cron, timezone }: { cron: string; timezone: string }): CronTimes {
  const times = readCron(cron, timezone)
  if (typeof times === 'string') throw new TypeError(`${cron} ${times}`)
  return times
}

/** The longest distance between the next 20 times, in milliseconds. */
export function longestPauseMs(times: CronTimes, from: Date): number {
  let longest = 0
  let last = times.next(from)
  for (let n = 0; n < 20 && last !== null; n += 1) {
    const next = times.next(last)
    if (next !== null) longest = Math.max(longest, next.getTime() - last.getTime())
    last = next
  }
  return longest
}
