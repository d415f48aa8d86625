import { invalid } from './invalid.ts'

/**
 * Rejects with `invalid_request` for a period that ends before it begins, because no list has a row
 * for it. Texts are ISO 8601 instants.
 */
export function checkPeriod(period: {
  readonly from?: Date | string | undefined
  readonly to?: Date | string | undefined
}): void {
  const { from, to } = period
  if (from === undefined || to === undefined || new Date(from) <= new Date(to)) return
  throw invalid('from', 'must not be after "to"')
}
