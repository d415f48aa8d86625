const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** A moment relative to now, such as "in 3 hours" or "2 days ago". */
export function fromNow(instant: string): string {
  const seconds = (Date.parse(instant) - Date.now()) / 1000
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}
