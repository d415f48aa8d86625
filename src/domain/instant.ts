const form =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](\d{2}):(\d{2}))$/

/**
 * Whether a text is an existing ISO 8601 instant with its zone: the 31st of February and 24:00 do
 * not exist. JavaScript's own parser silently moves them to March and to the next day.
 */
export function isInstant(text: string): boolean {
  const match = form.exec(text)
  if (match === null || Number.isNaN(Date.parse(text))) return false
  const [
    year = 0,
    month = 0,
    day = 0,
    hour = 0,
    minute = 0,
    second = 0,
    zoneHour = 0,
    zoneMinute = 0,
  ] = match.slice(1).map((digits) => Number(digits ?? 0))
  const isDay = day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
  const isTime = hour <= 23 && minute <= 59 && second <= 59
  return (
    year > 0 && month >= 1 && month <= 12 && isDay && isTime && zoneHour <= 23 && zoneMinute <= 59
  )
}
