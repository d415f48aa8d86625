import type { InsightView } from '#api/schemas/requests/insights.ts'
import type { InsightKey } from '#domain/insight-key.ts'

/** The parts of a bar, and what stands in the table. */
export const outcomes = ['approved', 'denied', 'expired', 'waiting'] as const
export type Outcome = (typeof outcomes)[number]
/** What a figure counts. */
export type Figure = Outcome | 'opened' | 'carriedOut' | 'failed'

/** What an answer counts, and for whom. */
export interface LinkScope {
  readonly by: InsightKey
  readonly from: string
  readonly to: string
  /** id of the reader */
  readonly me: string
}

const filtersOf: Readonly<Record<Figure, Readonly<Record<string, string>>>> = {
  opened: { state: 'any' },
  approved: { state: 'approved' },
  denied: { state: 'denied' },
  expired: { state: 'expired' },
  waiting: { state: 'pending' },
  carriedOut: { state: 'any', effect: 'succeeded' },
  failed: { state: 'any', effect: 'failed' },
}

/** The same of one person's votes. */
const votesOf: Readonly<Record<Figure, Readonly<Record<string, string>> | null>> = {
  opened: {},
  approved: { decision: 'approve' },
  denied: { decision: 'deny' },
  expired: null,
  waiting: null,
  carriedOut: { decision: 'approve', effect: 'succeeded' },
  failed: { decision: 'approve', effect: 'failed' },
}

/**
 * The list that has exactly what a figure counts, under the API's own filters; null where no list
 * does: what waits for somebody else. Pure.
 */
export function listBehind(
  { by, from, to, me }: LinkScope,
  { key }: Pick<InsightView, 'key'>,
  what: Figure,
): string | null {
  // What waits is counted whenever it was opened.
  const period = what === 'waiting' ? {} : { from, to }
  if (by !== 'person') return inboxWith({ ...filtersOf[what], [by]: key, ...period })
  if (what === 'waiting') return key === me ? '/?mine=true' : null
  const votes = votesOf[what]
  return votes && inboxWith({ state: 'any', decidedBy: key, ...votes, ...period })
}

/** What was opened on a day of UTC, all of it or what became of it so. Pure. */
export function openedOn(day: string, what: Outcome | 'opened'): string {
  const from = `${day}T00:00:00.000Z`
  const to = new Date(Date.parse(from) + 24 * 3_600_000).toISOString()
  return inboxWith({ ...filtersOf[what], from, to })
}

function inboxWith(filters: Readonly<Record<string, string>>): string {
  return `/?${new URLSearchParams(filters).toString()}`
}
