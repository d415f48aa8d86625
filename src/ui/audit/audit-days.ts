const earliestYear = 2000

/**
 * The instant at which a day (`2026-11-22`) begins in the viewer's time zone; `null` for an
 * incomplete date. Pure.
 */
export function startOfDay(day: string): string | null {
  return instantOf(day, 0)
}

/** The end of a day, as the instant at which the next day begins. Pure. */
export function endOfDay(day: string): string | null {
  return instantOf(day, 1)
}

/**
 * The day of an instant in the viewer's time zone; for an end, the day of the moment before. Empty
 * for no instant. Pure.
 */
export function dayOf(instant: string | null, edge: 'start' | 'end'): string {
  const ms = Date.parse(instant ?? '')
  if (Number.isNaN(ms)) return ''
  const at = new Date(edge === 'start' ? ms : ms - 1)
  const pad = (value: number): string => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
}

function instantOf(day: string, daysLater: number): string | null {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) return null
  // The person is still typing the year.
  if (!(year >= earliestYear)) return null
  return new Date(year, month - 1, date + daysLater).toISOString()
}
