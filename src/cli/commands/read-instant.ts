import { InvalidArgumentError } from 'commander'

/** A moment as the service takes it, from anything that ISO 8601 allows: `2026-12-01`, `2026-12-01T09:00+01:00`. */
export function readInstant(text: string): string {
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : new Date(NaN)
  if (Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError('a time such as 2026-12-01T09:00Z.')
  }
  return moment.toISOString()
}
