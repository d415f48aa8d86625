const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months =
  'January February March April May June July August September October November December'.split(' ')

/**
 * The times of a valid cron expression in words; null for one that takes more than a sentence.
 * @example cronWords('0 6 * * 1-5') // 'every weekday at 06:00'
 */
export function cronWords(cron: string): string | null {
  const [minute = '', hour = '', monthDay = '', month = '', weekDay = ''] = cron.trim().split(/ +/)
  const minutes = valuesOf(minute, 0, 59)
  const hours = valuesOf(hour, 0, 23)
  const monthDays = valuesOf(monthDay, 1, 31)
  const inMonths = valuesOf(month, 1, 12, ['', ...months])
  const days = valuesOf(weekDay, 0, 7, weekdays)
  if (minutes === null || hours === null || monthDays === null) return null
  if (inMonths === null || days === null) return null
  const named = inMonths.map((one) => months[one - 1] ?? '')
  const when = dayWords(monthDays, [...new Set(days.map((day) => day % 7))], named)
  if (when === null) return null
  if (minutes.length * hours.length <= 4) {
    const times = hours.flatMap((h) => minutes.map((m) => clock(h, m)))
    return `${when} at ${listWords(times)}`
  }
  const often = intervalWords(minutes, hours)
  if (often === null) return null
  return when === 'every day' ? often : `${often}, ${when}`
}

/** The values of a field, in order; null for a form that is not supported. */
function valuesOf(
  field: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): readonly number[] | null {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step = '1', more] = part.split('/')
    const [from = '', to = from, rest] = range.split('-')
    const isAll = range === '*'
    // Programs disagree on where "5/10" ends.
    if (more !== undefined || rest !== undefined || (step !== '1' && !isAll && from === to)) {
      return null
    }
    const first = isAll ? min : numberOf(from, names)
    const last = isAll ? max : numberOf(to, names)
    const by = Number(step)
    if (first === null || last === null || !(by >= 1) || first < min || last > max) return null
    for (let value = first; value <= last; value += by) values.add(value)
  }
  return [...values].toSorted((a, b) => a - b)
}

function numberOf(text: string, names: readonly string[]): number | null {
  if (/^\d+$/.test(text)) return Number(text)
  const at = names.findIndex((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase())
  return at === -1 || text === '' ? null : at
}

/** The days, of the month or of the week, of which one is not limited. */
function dayWords(
  monthDays: readonly number[],
  days: readonly number[],
  named: readonly string[],
): string | null {
  const inMonths = named.length === 12 ? '' : ` in ${listWords(named)}`
  if (monthDays.length < 31) {
    if (days.length < 7 || monthDays.length > 4) return null
    const of = named.length === 12 ? 'every month' : listWords(named)
    return `on the ${listWords(monthDays.map(ordinal))} of ${of}`
  }
  if (days.length === 7) return `every day${inMonths}`
  const isWorking = days.length === 5 && !days.includes(0) && !days.includes(6)
  if (isWorking) return `every weekday${inMonths}`
  // A week begins on Monday.
  const ordered = days.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7))
  return `every ${listWords(ordered.map((day) => weekdays[day] ?? ''))}${inMonths}`
}

/** How often within a day, and between which times. */
function intervalWords(minutes: readonly number[], hours: readonly number[]): string | null {
  const [minute = 0] = minutes
  const every = stepOf(minutes, 60)
  if (minutes.length > 1 && every === null) return null
  const hourStep = stepOf(hours, 24)
  const at = minute === 0 ? '' : ` at minute ${minute}`
  if (minutes.length === 1 && hourStep !== null) {
    return `every ${hourStep === 1 ? 'hour' : `${hourStep} hours`}${at}`
  }
  const often =
    minutes.length === 1 ? `every hour` : `every ${every === 1 ? 'minute' : `${every} minutes`}`
  if (hours.length === 24) return often
  const [first = 0] = hours
  const last = hours.at(-1) ?? 0
  if (last - first !== hours.length - 1) return null
  return `${often} from ${clock(first, minute)} to ${clock(last, minutes.at(-1) ?? 0)}`
}

/** The constant distance of values that fill `whole` from zero on; null: there is none. */
function stepOf(values: readonly number[], whole: number): number | null {
  const step = whole / values.length
  return values.every((value, at) => value === at * step) ? step : null
}

const clock = (hour: number, minute: number): string =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`

function ordinal(day: number): string {
  const ending =
    day % 100 > 10 && day % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}

function listWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`
}
