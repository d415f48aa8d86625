import type { InsightView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'

/** The parts of a bar, and what stands in the table. */
export const outcomes = ['approved', 'denied', 'expired', 'waiting'] as const
export type Outcome = (typeof outcomes)[number]

const states: Readonly<Record<Outcome | 'opened', string>> = {
  opened: 'any',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  waiting: 'pending',
}

/** The field of the list of requests that each grouping filters by. */
const fields: Readonly<Record<Exclude<InsightKey, 'person'>, string>> = {
  queue: 'queue',
  worker: 'q',
  tool: 'tool',
  rule: 'rule',
}

/**
 * The list behind a figure, under the API's own filters; of a person the trail of what they
 * decided, and what waits for everybody in its place. Pure.
 */
export function listBehind(
  by: InsightKey,
  { key }: Pick<InsightView, 'key'>,
  what: Outcome | 'opened',
): string {
  if (by === 'person') {
    if (what === 'waiting') return '/?state=pending'
    return `/audit?${new URLSearchParams({ actor: key, type: 'decision.recorded' }).toString()}`
  }
  const query = new URLSearchParams({ state: states[what] })
  if (key !== '') query.set(fields[by], key)
  return `/?${query.toString()}`
}

/** The trail of what was opened on a day of UTC. Pure. */
export function openedOn(day: string): string {
  const from = `${day}T00:00:00.000Z`
  const to = new Date(Date.parse(from) + 24 * 3_600_000).toISOString()
  return `/audit?${new URLSearchParams({ type: 'request.opened', from, to }).toString()}`
}
